// What choices lead to, found by the warps of a block: the same numbers as on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "../env/world.h"
#include "env/prospect_block.h"

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
  std::vector<float> by_block = by_host;
  env::FirstCut cuts[env::kFirstCuts];
  env::write_prospects(env::Tellers<SerialLanes>{{}, cuts}, state, choices.data(), kMoves, by_host.data());
  emulation::run(
      dim3(1), env::kTellerWarps * 32, env::teller_bytes(nodes, depots > 0),
      [&] {
        env::ProspectState seen = state;
        const auto tellers = env::tellers_of_block(seen, emulation::shared_memory());
        env::write_prospects(tellers, seen, choices.data(), kMoves, by_block.data());
      },
      schedule);
  EXPECT_EQ(by_block, by_host);
}

TEST(EmulatedProspects, AreThoseOfTheHost) {
  for (unsigned schedule = 0; schedule < 3; ++schedule) {
    expect_same(8, 0, schedule);
    expect_same(20, 0, schedule);
    expect_same(40, 0, schedule, true);
    expect_same(33, 0, schedule);
    expect_same(70, 8, schedule);
    expect_same(150, 20, schedule);
  }
}

TEST(EmulatedProspects, OfToursTooLongForSharedMemoryAreReadInPlace) {
  EXPECT_TRUE(env::rows_are_shared(1000, true));
  EXPECT_FALSE(env::rows_are_shared(4000, false));
  EXPECT_LT(env::teller_bytes(4000, false), env::teller_bytes(1000, false));
}

/// What lanes find of some values below a bound: slots, indices and values, and how many wanted ones there are.
struct Found {
  std::vector<int> indices = std::vector<int>(8, -1);
  std::vector<float> values = std::vector<float>(8, -1.0f);
  int count = 0, wanted = 0;
  bool operator==(const Found&) const = default;
};

template <class Lanes>
void find(Lanes lanes, const std::vector<float>& values, int begin, float below, Found& found) {
  const int end = static_cast<int>(values.size());
  const auto of = [&](int i) { return values[static_cast<std::size_t>(i)]; };
  const int count = lanes.template visit_least<8>(begin, end, below, of, [&](int slot, int i, float value) {
    found.indices[static_cast<std::size_t>(slot)] = i, found.values[static_cast<std::size_t>(slot)] = value;
  });
  const int wanted = lanes.count(begin, end, [&](int i) { return of(i) < below; });
  if (lanes.first() == 0) found.count = count, found.wanted = wanted;
}

TEST(EmulatedLanes, FindTheLeastValuesInOrderLikeTheHost) {
  test::Draws draws(11);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<float> values(static_cast<std::size_t>(draws.between(1, 120)));
    for (float& value : values) value = static_cast<float>(draws.below(trial % 2 == 0 ? 12 : 1000));  // some are equal
    const int begin = draws.below(static_cast<int>(values.size()));
    const float below = trial % 5 == 0 ? 3.0f : 700.0f;
    std::vector<std::pair<float, int>> sorted;
    for (int i = begin; i < static_cast<int>(values.size()); ++i)
      if (values[static_cast<std::size_t>(i)] < below) sorted.emplace_back(values[static_cast<std::size_t>(i)], i);
    std::sort(sorted.begin(), sorted.end());
    Found expected;
    expected.wanted = static_cast<int>(sorted.size());
    expected.count = std::min(expected.wanted, 8);
    for (std::size_t slot = 0; slot < static_cast<std::size_t>(expected.count); ++slot)
      expected.values[slot] = sorted[slot].first, expected.indices[slot] = sorted[slot].second;
    Found by_host, by_warp;
    find(SerialLanes{}, values, begin, below, by_host);
    emulation::run(
        dim3(1), 32, 0, [&] { find(WarpLanes{}, values, begin, below, by_warp); }, static_cast<unsigned>(trial % 3));
    EXPECT_EQ(by_host, expected);
    EXPECT_EQ(by_warp, expected);
  }
}

}  // namespace
}  // namespace neuopt
