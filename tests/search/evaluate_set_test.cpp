#include "search/evaluate_set.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "search/exact.h"
#include "search_fixture.h"

namespace neuopt::search {
namespace {

SetResult evaluate(const std::vector<Instance>& set, const EvaluateOptions& options,
                   const SetCallbacks& callbacks = {}) {
  const auto backend = open_device("auto");
  return evaluate_set(set, test::small_model(set.front().kind), *backend, options, callbacks);
}

EvaluateOptions few_steps() {
  EvaluateOptions options;
  options.steps = 20;
  options.stall_limit = 4;
  options.copies = 2;
  return options;
}

std::vector<double> costs(const SetResult& result) {
  std::vector<double> list;
  for (const InstanceResult& done : result.instances) list.push_back(done.cost);
  return list;
}

TEST(EvaluateSet, MeansAreThoseOfTheInstances) {
  std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 15, 4);
  for (std::size_t i = 0; i < set.size(); ++i) set[i].reference_cost = 1.0 + static_cast<double>(i);
  const SetResult result = evaluate(set, few_steps());
  ASSERT_EQ(result.instances.size(), 4u);
  double cost = 0, gap = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(result.instances[i].index, static_cast<int>(i));
    EXPECT_TRUE(result.instances[i].feasible);
    cost += result.instances[i].cost / 4;
    gap += (result.instances[i].cost / *set[i].reference_cost - 1) / 4;
  }
  EXPECT_DOUBLE_EQ(result.mean_cost, cost);
  EXPECT_DOUBLE_EQ(*result.mean_gap, gap);
  EXPECT_DOUBLE_EQ(*result.mean_reference, 2.5);
  EXPECT_EQ(result.infeasible, 0);
  EXPECT_FALSE(result.stopped);
  EXPECT_GT(result.instance_steps_per_second, 0);
}

TEST(EvaluateSet, SameCostsAtAnyNumberOfThreadsAndAnySplit) {
  for (const ProblemKind kind : {ProblemKind::tsp, ProblemKind::cvrp}) {
    const std::vector<Instance> set = test::uniform_set(kind, 12, 7);
    EvaluateOptions options = few_steps();
    options.steps = 100;
    const std::vector<double> whole = costs(evaluate(set, options));
    for (const int threads : {1, 3})
      for (const int session_copies : {1, 3, 6}) {
        options.threads = threads;
        options.session_copies = session_copies;
        EXPECT_EQ(costs(evaluate(set, options)), whole);
      }
    EXPECT_NE(costs(evaluate(set, few_steps())), whole);  // the last steps were not for nothing
    const std::vector<Instance> head(set.begin(), set.begin() + 3);
    EXPECT_EQ(costs(evaluate(head, options)), std::vector<double>(whole.begin(), whole.begin() + 3));
  }
}

TEST(EvaluateSet, CurveFallsAndEndsAtTheResult) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::cvrp, 12, 3);
  EvaluateOptions options = few_steps();
  options.curve = {10, 0, 5, 10};
  const SetResult result = evaluate(set, options);
  ASSERT_EQ(result.curve.size(), 4u);
  EXPECT_EQ(result.curve[0].step, 0);
  EXPECT_EQ(result.curve[3].step, 20);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LE(result.curve[i].mean_cost, result.curve[i - 1].mean_cost);
  EXPECT_NEAR(result.curve[3].mean_cost, result.mean_cost, 1e-5);
  options.curve.clear();
  options.steps = 5;
  EXPECT_NEAR(evaluate(set, options).mean_cost, result.curve[1].mean_cost, 1e-5);
  options.curve = {6};
  EXPECT_THROW(evaluate(set, options), InputError);
}

TEST(EvaluateSet, SizesMayDiffer) {
  std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 12, 2);
  set.push_back(generate_uniform(ProblemKind::tsp, 5, 1, 0));
  set.push_back(generate_uniform(ProblemKind::tsp, 14, 1, 0));
  const SetResult result = evaluate(set, few_steps());
  ASSERT_EQ(result.instances.size(), 4u);
  EXPECT_EQ(result.infeasible, 0);
  EXPECT_NEAR(result.instances[2].cost, solution_cost(set[2], solve_exactly(set[2])), 1e-12);
}

TEST(EvaluateSet, AStopLeavesWhatIsDone) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 12, 6);
  EvaluateOptions options = few_steps();
  options.session_copies = 2;  // one instance at a time
  std::atomic<bool> stop = false;
  SetCallbacks callbacks;
  callbacks.stop = &stop;
  callbacks.instance = [&](const InstanceResult& done) { stop = done.index == 2; };
  const SetResult result = evaluate(set, options, callbacks);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.instances.size(), 3u);
}

TEST(EvaluateSet, RefusesAModelOfAnotherProblem) {
  const auto backend = open_device("auto");
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 12, 1);
  EXPECT_THROW(evaluate_set(set, test::small_model(ProblemKind::cvrp), *backend, few_steps()), InputError);
}

}  // namespace
}  // namespace neuopt::search
