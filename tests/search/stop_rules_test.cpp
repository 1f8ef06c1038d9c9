#include "search/stop_rules.h"

#include <gtest/gtest.h>

#include <thread>

#include "problem/generate.h"
#include "problem/normalize.h"
#include "search/kick_share.h"

namespace neuopt::search {
namespace {

SearchInstance view_with(Metric metric) {
  Instance instance = generate_uniform(ProblemKind::tsp, 10, 1, 0);
  instance.metric = metric;
  for (Point& point : instance.coordinates) point = {1000 * point.x, 1000 * point.y};
  SearchInstance view = make_search_instance(instance, {});
  view.cost_scale = 4;
  return view;
}

TEST(StopRules, TheFirstOfThoseThatWereGivenEndsASearch) {
  const SearchInstance view = view_with(Metric::unit);
  SolveOptions options{.steps = 100, .target_cost = 40, .patience = 20};
  const StopRules all(options, view);
  EXPECT_EQ(all.by_any(10.1, 50, 60), std::nullopt);
  EXPECT_EQ(all.by_any(10, 50, 60), StopReason::target) << "40 in the units of the file";
  EXPECT_EQ(all.by_any(10.1, 50, 70), StopReason::patience);
  EXPECT_EQ(all.by_any(10.1, 90, 100), StopReason::steps);
  EXPECT_EQ(all.by_cost(10.1, 90, 100), std::nullopt);
  options.steps.reset();
  options.target_cost.reset();
  options.patience = 0;
  EXPECT_EQ(StopRules(options, view).by_any(-1e300, 0, 1'000'000'000'000), std::nullopt);
}

TEST(StopRules, ATargetIsReachedInSpiteOfRounding) {
  const SearchInstance view = view_with(Metric::unit);
  for (const double target : {7.3, 0.0, -7.3, 7.3e9}) {
    const StopRules rules({.target_cost = target}, view);
    EXPECT_TRUE(rules.at_target((target + 1e-7 * std::abs(target)) / view.cost_scale)) << target;
    EXPECT_FALSE(rules.at_target((target + 1e-6 * std::max(1.0, std::abs(target))) / view.cost_scale)) << target;
  }
}

TEST(StopRules, WholeNumbersAreToldApartHoweverLarge) {
  const SearchInstance view = view_with(Metric::euc_2d);
  for (const double target : {7.0, 7e6, 7e12}) {
    const StopRules rules({.target_cost = target}, view);
    EXPECT_TRUE(rules.at_target(target / view.cost_scale)) << target;
    EXPECT_FALSE(rules.at_target((target + 1) / view.cost_scale)) << target;
  }
}

TEST(KickShare, WhereStepsEndASearchTheClockChangesNothingBeforeItEndsIt) {
  const KickBudget budget{.kicks = 100, .seconds = 0.001};
  const KickShare by_steps(budget, true), by_either(budget, false), by_kicks({.kicks = 100}, false);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(by_steps.done(10), 0.1);
  EXPECT_GT(by_either.done(10), 1);
  EXPECT_EQ(by_kicks.done(10), 0.1);
  EXPECT_TRUE(by_steps.out_of_time() && by_either.out_of_time());
  EXPECT_FALSE(by_kicks.out_of_time());
  EXPECT_TRUE(KickShare({.seconds = 0}, false).out_of_time());
}

}  // namespace
}  // namespace neuopt::search
