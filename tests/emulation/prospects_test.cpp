// What choices lead to, found by a warp: the same numbers as on the host.
#include "env/prospects.h"

#include <gtest/gtest.h>

#include <vector>

#include "../env/world.h"

namespace neuopt {
namespace {

constexpr int kMoves = 4, kForesight = 3;

void expect_same(int nodes, int depots, unsigned schedule) {
  test::Draws draws(schedule + 5);
  test::World world = test::random_world(nodes, depots, 20, draws);
  const std::vector<float> features = world.features_in_tour_order();
  const env::ProspectState state = env::prospect_state(nodes, kForesight, features.data(),
                                                       static_cast<int>(features.size()) / nodes, depots > 0, 0.01f);
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
    expect_same(20, 0, schedule);
    expect_same(33, 0, schedule);
    expect_same(70, 8, schedule);
  }
}

}  // namespace
}  // namespace neuopt
