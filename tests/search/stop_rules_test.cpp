#include "search/stop_rules.h"

#include <gtest/gtest.h>

namespace neuopt::search {
namespace {

constexpr double kScale = 4;

TEST(StopRules, TheFirstOfThoseThatWereGivenEndsASearch) {
  SolveOptions options{.steps = 100, .target_cost = 40, .patience = 20};
  const StopRules all(options, kScale);
  EXPECT_EQ(all.by_any(10.1, 50, 60), std::nullopt);
  EXPECT_EQ(all.by_any(10, 50, 60), StopReason::target) << "40 in the units of the file";
  EXPECT_EQ(all.by_any(10.1, 50, 70), StopReason::patience);
  EXPECT_EQ(all.by_any(10.1, 90, 100), StopReason::steps);
  EXPECT_EQ(all.by_cost(10.1, 90, 100), std::nullopt);
  options.steps.reset();
  options.target_cost.reset();
  options.patience = 0;
  EXPECT_EQ(StopRules(options, kScale).by_any(-1e300, 0, 1'000'000'000'000), std::nullopt);
}

TEST(StopRules, ATargetIsReachedInSpiteOfRounding) {
  for (const double target : {7.3, 0.0, -7.3}) {
    const StopRules rules({.target_cost = target}, kScale);
    EXPECT_TRUE(rules.at_target((target + 1e-12 * std::abs(target)) / kScale)) << target;
    EXPECT_FALSE(rules.at_target((target + 1e-6) / kScale)) << target;
  }
}

}  // namespace
}  // namespace neuopt::search
