// The feasibility history, what is derived from it, and the rewards with their switches.
#include "env/gire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>
#include <vector>

#include "support/random_tour.h"
#include "world.h"

namespace neuopt {
namespace {

using env::FeasibilityHistory;
using env::GireParameters;

/// Transitions counted one by one in a queue of flags (true: infeasible), as long as the history.
struct PlainHistory {
  std::deque<bool> infeasible;

  explicit PlainHistory(int length) : infeasible(length, false) {}
  void record(bool feasible) {
    infeasible.pop_front();
    infeasible.push_back(!feasible);
  }
  float count(bool earlier, bool later) const {
    int pairs = 0;
    for (std::size_t i = 1; i < infeasible.size(); ++i) pairs += infeasible[i - 1] == earlier && infeasible[i] == later;
    return static_cast<float>(pairs);
  }
};

class HistoryLength : public testing::TestWithParam<int> {};

TEST_P(HistoryLength, CountsTheTransitionsOfTheLastFlags) {
  GireParameters gire;
  gire.history = GetParam();
  test::Draws draws(5);
  FeasibilityHistory history;
  PlainHistory plain(gire.history);
  std::vector<float> features(env::kExplorationFeatures);
  for (int step = 1; step <= 150; ++step) {
    const bool feasible = draws.below(3) > 0;
    env::record_step(history, feasible);
    plain.record(feasible);
    const env::Transitions count = env::count_transitions(history, gire);
    ASSERT_EQ(count.infeasible_infeasible, plain.count(true, true));
    ASSERT_EQ(count.feasible_feasible, plain.count(false, false));
    ASSERT_EQ(count.infeasible_feasible, plain.count(true, false));
    ASSERT_EQ(count.feasible_infeasible, plain.count(false, true));
    env::write_exploration_features(history, feasible, gire, features.data());
    const float transitions = static_cast<float>(gire.history - 1);
    const bool full = step >= gire.history - 1;
    ASSERT_FLOAT_EQ(features[0], full ? plain.count(true, true) / transitions : 0);
    ASSERT_FLOAT_EQ(features[2], full ? plain.count(false, false) / transitions : 0);
    ASSERT_FLOAT_EQ(features[4], full ? plain.count(true, false) / transitions : 0);
    ASSERT_FLOAT_EQ(features[6], full ? plain.count(false, true) / transitions : 0);
    ASSERT_EQ(features[8], feasible ? 1.0f : 0.0f);
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, HistoryLength, testing::Values(2, 3, 25, 63, 64));

TEST(Gire, ConditionalProbabilitiesAddUpToOne) {
  const GireParameters gire;
  FeasibilityHistory history;
  for (int step = 0; step < 24; ++step) env::record_step(history, step % 5 < 3);
  std::vector<float> features(env::kExplorationFeatures);
  env::write_exploration_features(history, true, gire, features.data());
  EXPECT_NEAR(features[0] + features[2] + features[4] + features[6], 1, 1e-6);
  EXPECT_NEAR(features[1] + features[5], 1, 1e-4);  // P(U|U) + P(F|U), up to the 1e-5 in the divisor
  EXPECT_NEAR(features[3] + features[7], 1, 1e-4);
  const env::StayProbabilities stay = env::stay_probabilities(env::count_transitions(history, gire), gire);
  EXPECT_EQ(stay.infeasible, features[1]);
  EXPECT_EQ(stay.feasible, features[3]);
}

TEST(Gire, FeaturesAreZeroAtTheStart) {
  std::vector<float> features(env::kExplorationFeatures, 7);
  env::write_exploration_features(FeasibilityHistory{}, true, GireParameters{}, features.data());
  EXPECT_EQ(features, (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(Gire, WithoutExplorationFeaturesAllAreZero) {
  GireParameters gire;
  gire.exploration_features = false;
  FeasibilityHistory history;
  for (int step = 0; step < 30; ++step) env::record_step(history, step % 2 == 0);
  std::vector<float> features(env::kExplorationFeatures, 7);
  env::write_exploration_features(history, true, gire, features.data());
  EXPECT_EQ(features, std::vector<float>(env::kExplorationFeatures, 0));
}

TEST(Gire, EntropyMeasureIsZeroInTheMiddleAndOneAtTheEnds) {
  const GireParameters gire;
  EXPECT_EQ(env::entropy_measure(0.5f, gire), 0);
  EXPECT_EQ(env::entropy_measure(0, gire), 1);
  EXPECT_EQ(env::entropy_measure(1, gire), 1);
  for (float p = 0; p <= 0.5f; p += 1.0f / 64) {
    EXPECT_NEAR(env::entropy_measure(p, gire), env::entropy_measure(1 - p, gire), 1e-5);
    EXPECT_GE(env::entropy_measure(p, gire), env::entropy_measure(p + 1.0f / 64, gire));
    const double exact = 1 - 0.5 * std::log2(2.5 * std::numbers::pi * std::numbers::e * p * (1 - p) + 1e-5);
    EXPECT_NEAR(env::entropy_measure(p, gire), std::clamp(exact, 0.0, 1.0), 1e-5);
  }
}

TEST(Gire, EpsilonFollowsThePapersRule) {
  EXPECT_NEAR(env::epsilon_for(GireParameters{}, 50, 5.0f / 40), 0.625, 1e-6);
  EXPECT_NEAR(env::epsilon_for(GireParameters{}, 100, 5.0f / 50), 1.0, 1e-6);
}

/// Two depots and four customers on a line; the tour 0 2 3 1 4 5 is feasible, and its ends can be exchanged.
test::World small_world() {
  return test::World({0, 0, 0.1f, 0.9f, 0.2f, 0.8f}, {0, 0, 0, 0, 0, 0}, {0, 0, 0.6f, 0.4f, 0.6f, 0.3f}, 2,
                     test::Tour({0, 2, 3, 1, 4, 5}));
}

/// Reverses 3 1 4: the tour becomes 0 2 4 | 1 3 5, shorter, but the first route carries 1.2.
const test::Choices kShorterButOverloaded{2, {3}};

TEST(Reward, BonusIsForEpsilonFeasibleSolutions) {
  test::World world = small_world();
  const double start = world.status().cost;
  const env::Reward reward = world.step(kShorterButOverloaded, 0.5f);
  ASSERT_EQ(world.tour.order, (std::vector<int>{0, 2, 4, 1, 3, 5}));
  EXPECT_NEAR(world.status().violation, 0.2, 1e-4);
  EXPECT_EQ(reward.improvement, 0);
  EXPECT_NEAR(reward.bonus, 0.05 * (start - world.status().cost), 1e-6);
  EXPECT_GT(reward.bonus, 0);
  EXPECT_EQ(world.status().best_cost, start);
  EXPECT_EQ(world.status().best_epsilon_cost, world.status().cost);
}

TEST(Reward, NoBonusBeyondEpsilon) {
  test::World world = small_world();
  world.epsilon = 0.1f;
  const double start = world.status().cost;
  EXPECT_EQ(world.step(kShorterButOverloaded, 0.5f).bonus, 0);
  EXPECT_EQ(world.status().best_epsilon_cost, start);
}

TEST(Reward, RegulationPunishesStayingInOneRegion) {
  test::World world = small_world();
  const env::Reward reward = world.step(test::Choices{2, {1}}, 0.5f);  // void: feasible again; U was never left or kept
  EXPECT_NEAR(reward.regulation, -0.05 * 0.5 * 2, 1e-6);
}

TEST(Reward, SwitchesTurnOffOneThingEach) {
  for (int off = 0; off < 2; ++off) {
    test::World world = small_world();
    (off == 0 ? world.gire().regulation_reward : world.gire().bonus_reward) = false;
    const env::Reward reward = world.step(kShorterButOverloaded, 0.5f);
    EXPECT_EQ(reward.regulation == 0, off == 0);
    EXPECT_EQ(reward.bonus == 0, off == 1);
    EXPECT_EQ(world.status().best_epsilon_cost, world.status().cost) << "the search is the same without the rewards";
  }
}

TEST(Reward, WeightsAreParameters) {
  test::World world = small_world(), doubled = small_world();
  doubled.gire().alpha *= 2;
  doubled.gire().beta *= 2;
  const env::Reward reward = world.step(kShorterButOverloaded, 0.5f);
  const env::Reward twice = doubled.step(kShorterButOverloaded, 0.5f);
  EXPECT_FLOAT_EQ(twice.regulation, 2 * reward.regulation);
  EXPECT_FLOAT_EQ(twice.bonus, 2 * reward.bonus);
}

TEST(Reward, ImprovementIsOfTheBestFeasibleCost) {
  // A crossed square: 0 2 1 3 has two diagonals; turning round 2 1 removes them.
  test::World world({0, 1, 1, 0}, {0, 0, 1, 1}, {}, 0, test::Tour({0, 2, 1, 3}));
  EXPECT_NEAR(world.status().cost, 2 + 2 * std::sqrt(2), 1e-12);
  const env::Reward reward = world.step(test::Choices{0, {2}});
  EXPECT_NEAR(reward.improvement, 2 * std::sqrt(2) - 2, 1e-6);
  EXPECT_NEAR(world.status().cost, 4, 1e-12);
  EXPECT_EQ(world.status().previous_anchor, 0);
  const env::Reward back = world.step(test::Choices{0, {2}});
  EXPECT_EQ(back.improvement, 0);
  EXPECT_NEAR(world.status().best_cost, 4, 1e-12);
}

}  // namespace
}  // namespace neuopt
