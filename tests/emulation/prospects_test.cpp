// What choices lead to, found by the warps of a block: the same numbers as on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "../env/seen_state.h"
#include "env/prospect_block.h"

namespace neuopt {
namespace {

constexpr int kMoves = 4;

struct Case {
  int nodes, depots = 0;
  int foresight = 3;
  bool fixed = false, matrix = false;
  bool in_place = false;  // rows are not copied to shared memory, as of long tours
  int capacity = 110;
};

/// What all choices of all decoding steps are told, and what that adds to their scores.
struct Told {
  std::vector<float> features, scores;
  bool operator==(const Told&) const = default;
};

/// Positions, as far as the action goes; then its anchor.
std::vector<std::int32_t> draw_positions(int nodes, test::Draws& draws) {
  const test::Choices choices = test::random_choices(nodes, kMoves, draws);
  std::vector<std::int32_t> positions(kMoves, choices.anchor);
  for (std::size_t k = 0; k < choices.ranks.size(); ++k)
    positions[k + 1] = kopt::wrap(choices.anchor + choices.ranks[k], nodes);
  return positions;
}

template <class Lanes>
void tell(const env::Tellers<Lanes>& tellers, const env::ProspectState& state, const std::int32_t* choices,
          const float* weights, Told& told) {
  env::write_prospects(tellers, state, choices, kMoves, told.features.data());
  for (int k = 0; k < kMoves; ++k)
    env::add_prospects(tellers, state, choices, k, weights, told.scores.data() + k * state.nodes);
}

/// Whether some choices behind the anchor lead to feasible tours and some do not: else loads would go unnoticed.
bool loads_matter(const Told& told, int nodes) {
  bool feasible = false, infeasible = false;
  for (std::size_t choice = static_cast<std::size_t>(nodes); choice < told.scores.size(); ++choice) {
    const float* features = &told.features[choice * env::kProspectFeatures];
    if (features[6] == 0) continue;  // not an I-move
    (features[5] > 0 ? infeasible : feasible) = true;
  }
  return feasible && infeasible;
}

void expect_same(const Case& c, unsigned schedule) {
  test::Draws draws(schedule + 5);
  test::World world = test::random_world(c.nodes, c.depots, c.capacity, draws);
  if (c.matrix) test::draw_matrix(world, draws);
  test::SeenState seen(world, c.foresight, 0.01f, draws.below(2) == 0);
  if (c.fixed) seen.fix_edges(world, draws);
  const std::vector<std::int32_t> choices = draw_positions(c.nodes, draws);
  std::vector<float> weights;
  for (int i = 0; i < env::kProspectRows * env::kProspectFeatures; ++i) weights.push_back(draws.unit());
  const auto numbers = static_cast<std::size_t>(kMoves * c.nodes);
  Told by_host{std::vector<float>(numbers * env::kProspectFeatures, -1.0f), std::vector<float>(numbers, 0.5f)};
  Told by_block = by_host;
  tell(env::HostTellers(), seen.state, choices.data(), weights.data(), by_host);
  EXPECT_TRUE(c.depots <= 2 || loads_matter(by_host, c.nodes)) << c.nodes << " nodes, " << c.depots << " depots";
  emulation::run(
      dim3(1), env::teller_threads(c.nodes), env::teller_bytes(c.nodes, c.depots > 0),
      [&] {
        env::ProspectState state = seen.state;
        const auto tellers = c.in_place ? env::warp_tellers(emulation::shared_memory())
                                        : env::tellers_of_block(state, emulation::shared_memory());
        tell(tellers, state, choices.data(), weights.data(), by_block);
      },
      schedule);
  EXPECT_TRUE(by_block == by_host) << c.nodes << " nodes, " << c.depots << " depots, foresight " << c.foresight
                                   << (c.fixed ? ", fixed edges" : "") << (c.matrix ? ", matrix" : "")
                                   << (c.in_place ? ", in place" : "");
}

TEST(EmulatedProspects, AreThoseOfTheHost) {
  const Case cases[] = {{.nodes = 5},
                        {.nodes = 7, .depots = 2},
                        {.nodes = 8},
                        {.nodes = 20},
                        {.nodes = 32},
                        {.nodes = 33},
                        {.nodes = 40, .fixed = true},
                        {.nodes = 40, .fixed = true, .matrix = true},
                        {.nodes = 45, .foresight = 2, .matrix = true},
                        {.nodes = 64, .depots = 9, .capacity = 70},
                        {.nodes = 70, .depots = 8},
                        {.nodes = 75, .depots = 8, .matrix = true},
                        {.nodes = 90, .depots = 12, .foresight = 2},
                        {.nodes = 128, .foresight = 2},
                        {.nodes = 75, .in_place = true},
                        {.nodes = 70, .depots = 8, .in_place = true},
                        {.nodes = 75, .depots = 8, .matrix = true, .in_place = true},
                        {.nodes = 130, .depots = 15, .capacity = 150}};
  unsigned schedule = 0;
  for (const Case& c : cases) expect_same(c, schedule++ % 3);
}

TEST(EmulatedProspects, OfToursTooLongForSharedMemoryAreReadInPlace) {
  EXPECT_TRUE(env::rows_are_shared(3700, false) && env::rows_are_shared(1600, true));
  EXPECT_FALSE(env::rows_are_shared(3800, false) || env::rows_are_shared(1700, true));
  expect_same({.nodes = 3800, .foresight = 2}, 1);
  expect_same({.nodes = 1700, .depots = 200, .foresight = 2, .capacity = 300}, 1);
}

TEST(EmulatedProspects, HaveNoWarpWithoutChoices) {
  EXPECT_EQ(env::teller_threads(5), 32u);
  EXPECT_EQ(env::teller_threads(32), 32u);
  EXPECT_EQ(env::teller_threads(33), 64u);
  EXPECT_EQ(env::teller_threads(97), 128u);
  EXPECT_EQ(env::teller_threads(1000), 128u);
}

TEST(EmulatedProspects, StayWithinWhatABlockGetsWithoutAsking) {
  for (const bool loads : {false, true}) {
    EXPECT_EQ(env::compact_width(loads) % 2, 1);  // even ones share half of the banks
    for (int nodes = 3; nodes < 5000; ++nodes) EXPECT_LE(env::teller_bytes(nodes, loads), 48u << 10) << nodes;
  }
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
