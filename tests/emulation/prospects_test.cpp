// What choices lead to, found by a warp: the same numbers as on the host.
#include "env/prospects.h"

#include <gtest/gtest.h>

#include <vector>

#include "../env/world.h"

namespace neuopt {
namespace {

constexpr int kMoves = 4, kForesight = 3;

/// (N, 2): every third edge of a tour is fixed.
std::vector<std::int32_t> fixed_edges_of(const std::vector<int>& order) {
  std::vector<std::int32_t> partners(2 * order.size(), -1);
  for (std::size_t p = 0; p + 1 < order.size(); p += 3) {
    partners[static_cast<std::size_t>(2 * order[p])] = order[p + 1];
    partners[static_cast<std::size_t>(2 * order[p + 1])] = order[p];
  }
  return partners;
}

void expect_same(int nodes, int depots, unsigned schedule, bool fixed = false) {
  test::Draws draws(schedule + 5);
  test::World world = test::random_world(nodes, depots, 20, draws);
  const std::vector<float> features = world.features_in_tour_order();
  env::ProspectState state = env::prospect_state(nodes, kForesight, features.data(),
                                                 static_cast<int>(features.size()) / nodes, depots > 0, 0.01f);
  const std::vector<std::int32_t> partners = fixed_edges_of(world.tour.order);
  if (fixed) {
    env::InstanceView instance = world.instance();
    instance.fixed = partners.data();
    state.read_instance(instance, world.tour.order.data());
  }
  std::vector<std::int32_t> choices{draws.below(nodes)};
  for (int k = 1; k < kMoves; ++k)
    choices.push_back(kopt::wrap(choices.back() + draws.between(2, nodes / kMoves), nodes));
  std::vector<float> by_host(static_cast<std::size_t>(kMoves * nodes * env::kProspectFeatures), -1.0f);
  std::vector<float> by_warp = by_host;
  env::write_prospects(SerialLanes{}, state, choices.data(), kMoves, by_host.data());
  emulation::run(
      dim3(1), 32, 0, [&] { env::write_prospects(WarpLanes{}, state, choices.data(), kMoves, by_warp.data()); },
      schedule);
  EXPECT_EQ(by_warp, by_host);
}

TEST(EmulatedProspects, AreThoseOfTheHost) {
  for (unsigned schedule = 0; schedule < 3; ++schedule) {
    expect_same(8, 0, schedule);
    expect_same(20, 0, schedule);
    expect_same(40, 0, schedule, true);
    expect_same(33, 0, schedule);
    expect_same(70, 8, schedule);
  }
}

}  // namespace
}  // namespace neuopt
