#include "search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "core/error.h"
#include "problem/normalize.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "search/pace.h"
#include "search/settings.h"
#include "search/starts.h"
#include "search_fixture.h"

namespace neuopt::search {
namespace {

using test::search_one;

SolveOptions few_steps() {
  SolveOptions options = paper_protocol();
  options.copies = 5;
  options.steps = 30;
  options.stall_limit = 4;
  options.threads = 1;
  return options;
}

TEST(Search, GivesAVerifiedSolutionWithItsCost) {
  for (const ProblemKind kind : kProblemKinds) {
    const Instance instance = generate_uniform(kind, 20, 1, 0);
    const SolveResult result = search_one(instance, few_steps());
    const Verdict verdict = verify(instance, result.solution);
    EXPECT_TRUE(verdict.feasible);
    EXPECT_TRUE(result.feasible);
    EXPECT_DOUBLE_EQ(verdict.cost, result.cost);
    EXPECT_EQ(result.model, "small");
    EXPECT_FALSE(result.device.empty());
    EXPECT_EQ(result.steps, 30);
    EXPECT_EQ(result.copies, 5);
    EXPECT_EQ(result.stopped_by, StopReason::steps);
  }
}

TEST(Search, SameAnswerAtAnyNumberOfThreadsAndAnySplit) {
  for (const ProblemKind kind : kProblemKinds) {
    const Instance instance = generate_uniform(kind, 20, 2, 0);
    SolveOptions options = few_steps();
    const SolveResult alone = search_one(instance, options);
    for (const int threads : {1, 3})
      for (const int session_copies : {1, 2, 5}) {
        options.threads = threads;
        options.session_copies = session_copies;
        const SolveResult other = search_one(instance, options);
        EXPECT_EQ(other.solution.routes, alone.solution.routes);
        EXPECT_EQ(other.cost, alone.cost);
        EXPECT_EQ(other.feasible_share, alone.feasible_share);
      }
    options.seed = 2;
    EXPECT_NE(search_one(instance, options).solution.routes, alone.solution.routes);
  }
}

TEST(Search, MoreStepsAndCopiesAreNeverWorse) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 20, 4, 0);
  SolveOptions options = few_steps();
  const double cost = search_one(instance, options).cost;
  options.steps = 60;
  EXPECT_LE(search_one(instance, options).cost, cost);
  options.steps = 30;
  options.copies = 10;
  EXPECT_LE(search_one(instance, options).cost, cost);
}

TEST(Search, NeverWorseThanAFeasibleInitialSolution) {
  for (const ProblemKind kind : kProblemKinds) {
    const Instance instance = generate_uniform(kind, 30, 3, 0);
    SolveOptions options = few_steps();
    options.initial = make_start(instance, StartKind::greedy, 1);
    const double initial_cost = verify(instance, *options.initial).cost;
    for (const long steps : {0l, 30l}) {
      options.steps = steps;
      EXPECT_LE(search_one(instance, options).cost, initial_cost);
    }
  }
}

TEST(Search, RepairsAnInitialSolutionOverCapacity) {
  const Instance instance = generate_uniform(ProblemKind::cvrp, 30, 3, 0);
  SolveOptions options = few_steps();
  options.initial = Solution{{{}}};
  for (int node = 1; node <= 30; ++node) options.initial->routes[0].push_back(node);
  int notes = 0;
  SolveCallbacks callbacks;
  callbacks.note = [&](const std::string&) { ++notes; };
  EXPECT_TRUE(verify(instance, search_one(instance, options, callbacks).solution).feasible);
  EXPECT_EQ(notes, 1);
}

TEST(Search, ABrimfulInitialSolutionIsNotCalledOverloaded) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 30, 3, 0);
  instance.capacity = 30e9;  // more than the search resolves, and filled to the last unit
  instance.demand.assign(31, 1e9);
  instance.demand[0] = 0;
  instance.demand[1] += 1;
  instance.demand[2] -= 1;
  SolveOptions options = few_steps();
  options.initial = Solution{{{}}};
  for (int node = 1; node <= 30; ++node) options.initial->routes[0].push_back(node);
  std::vector<std::string> notes;
  SolveCallbacks callbacks;
  callbacks.note = [&](const std::string& note) { notes.push_back(note); };
  const double initial_cost = verify(instance, *options.initial).cost;
  EXPECT_LE(search_one(instance, options, callbacks).cost, initial_cost);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("less room than the search resolves"), std::string::npos) << notes[0];
}

TEST(Search, RefusesAnInitialSolutionInSeveralTours) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 6, 3, 0);
  EXPECT_THROW(start_from(make_search_instance(instance), Solution{{{0, 1, 2}, {3, 4, 5}}}), InputError);
}

TEST(Search, RefusesAnInitialSolutionOfAnotherInstance) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 20, 3, 0);
  SolveOptions options = few_steps();
  options.initial = Solution{{{0, 1, 2}}};
  EXPECT_THROW(search_one(instance, options), InputError);
}

TEST(Search, GreedyStartIsKeptWithoutSteps) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 50, 3, 0);
  SolveOptions options = few_steps();
  options.steps = 0;
  options.start = StartKind::greedy;
  EXPECT_EQ(search_one(instance, options).solution.routes, make_start(instance, StartKind::greedy, 1).routes);
}

TEST(Starts, OfEveryKindAreFeasible) {
  for (const ProblemKind kind : kProblemKinds)
    for (const int customers : {10, 33, 100, 257}) {
      const Instance instance = generate_shaped(kind, customers, 3, 1);
      for (const StartKind start : {StartKind::automatic, StartKind::random, StartKind::greedy, StartKind::curve})
        EXPECT_TRUE(verify(instance, make_start(instance, start, 1)).feasible) << start_name(start) << customers;
    }
  EXPECT_THROW(make_start(generate_uniform(ProblemKind::tsp, 20, 1, 0), StartKind::savings, 1), InputError);
}

TEST(Search, PolishKeepsWhatItFindsAndNothingElseChanges) {
  for (const ProblemKind kind : kProblemKinds) {
    const Instance instance = generate_uniform(kind, 40, 3, 0);
    SolveOptions options = few_steps();
    const SolveResult plain = search_one(instance, options);
    options.polish = 5;
    const SolveResult polished = search_one(instance, options);
    EXPECT_LT(polished.cost, plain.cost);
    EXPECT_EQ(polished.feasible_share, plain.feasible_share);  // the search itself is the same
    options.session_copies = 1;
    options.threads = 1;
    EXPECT_EQ(search_one(instance, options).solution.routes, polished.solution.routes);
  }
}

TEST(Search, WithoutAPolicyTheSameSeedGivesTheSameAnswerAtAnyNumberOfThreads) {
  for (const ProblemKind kind : kProblemKinds) {
    const Instance instance = generate_uniform(kind, 50, 3, 0);
    SolveOptions options = few_steps();
    options.use_policy = false;
    options.start = StartKind::automatic;
    options.steps = 300;
    options.threads = 1;
    const SolveResult one = search_one(instance, options);
    EXPECT_EQ(one.steps, 300);
    EXPECT_EQ(one.model, "none");
    EXPECT_LT(one.cost, verify(instance, make_start(instance, StartKind::automatic, 1)).cost);
    options.threads = 3;
    EXPECT_EQ(search_one(instance, options).solution.routes, one.solution.routes);
  }
}

TEST(Search, StopsAtTheTarget) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 20, 3, 0);
  SolveOptions options = few_steps();
  options.target_cost = 1e9;
  EXPECT_EQ(search_one(instance, options).steps, 0);
  options.target_cost = 0;
  options.steps = 40;
  EXPECT_EQ(search_one(instance, options).stopped_by, StopReason::steps);
  const double reached = search_one(instance, options).cost;
  options.target_cost = reached;
  options.steps.reset();
  const SolveResult result = search_one(instance, options);
  EXPECT_EQ(result.stopped_by, StopReason::target);
  EXPECT_LE(result.steps, 40);
  EXPECT_EQ(result.steps % kCheckInterval, 0);
  EXPECT_NEAR(result.cost, reached, 1e-6);
}

TEST(Search, ReachesATargetThatItReachedBefore) {
  for (int number = 0; number < 8; ++number) {
    Instance instance = generate_uniform(ProblemKind::tsp, 40, 3, static_cast<std::uint64_t>(number));
    for (Point& point : instance.coordinates) point = {1000 * point.x, 1000 * point.y};
    SolveOptions options = few_steps();
    const double reached = search_one(instance, options).cost;  // as the verifier counts
    options.target_cost = reached;
    const SolveResult again = search_one(instance, options);
    EXPECT_EQ(again.stopped_by, StopReason::target);
    EXPECT_EQ(again.cost, reached);
  }
}

/// The search's coordinates, rounded in the unit square, hardly know these nodes from each other.
TEST(Search, ACrowdFarFromOneNodeIsAnsweredAll) {
  Instance instance = generate_uniform(ProblemKind::tsp, 3000, 3, 0);
  for (Point& point : instance.coordinates) point = {1.5e-6 * point.x, 1.5e-6 * point.y};
  instance.coordinates[0] = {-1, -1};
  SolveOptions options = few_steps();
  options.use_policy = false;
  options.start = StartKind::automatic;
  const SolveResult result = search_one(instance, options);
  EXPECT_TRUE(result.feasible);
  EXPECT_EQ(result.cost, verify(instance, result.solution).cost);
}

TEST(Search, StopsWithoutImprovement) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 12, 3, 0);
  SolveOptions options = few_steps();
  options.steps.reset();
  options.patience = 50;
  const SolveResult result = search_one(instance, options);
  EXPECT_EQ(result.stopped_by, StopReason::patience);
  EXPECT_GE(result.steps, 50);
  options.steps = result.steps - 50;  // where the last improvement was seen
  options.patience = 0;
  EXPECT_EQ(search_one(instance, options).cost, result.cost);
}

TEST(Search, KeepsADeadlineHoweverManyCopies) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 100, 3, 0);
  SolveOptions options = few_steps();
  options.steps.reset();
  options.copies = 300;
  const Clock::time_point begin = Clock::now();
  options.deadline = begin + std::chrono::milliseconds(400);
  const SolveResult result = search_one(instance, options);
  const double seconds = seconds_between(begin, Clock::now());
  EXPECT_EQ(result.stopped_by, StopReason::time);
  EXPECT_LT(seconds, 2.0);  // generous: the machine may be busy with something else
  EXPECT_TRUE(verify(instance, result.solution).feasible);
}

TEST(Search, ADeadlineInThePastGivesTheStart) {
  SolveOptions options = few_steps();
  options.deadline = Clock::now() - std::chrono::seconds(1);
  const SolveResult result = search_one(generate_uniform(ProblemKind::cvrp, 20, 3, 0), options);
  EXPECT_EQ(result.steps, 0);
  EXPECT_EQ(result.stopped_by, StopReason::time);
}

TEST(Search, StopFlagEndsTheSearch) {
  std::atomic<bool> stop = false;
  SolveOptions options = few_steps();
  options.steps.reset();
  SolveCallbacks callbacks;
  callbacks.stop = &stop;
  int reports = 0;
  callbacks.progress = [&](const Progress& progress) {
    if (++reports == 2) stop = true;
    EXPECT_GE(progress.step, 0);
    EXPECT_GT(progress.best_cost, 0);
  };
  const SolveResult result = search_one(generate_uniform(ProblemKind::cvrp, 20, 3, 0), options, callbacks);
  EXPECT_EQ(result.stopped_by, StopReason::interrupt);
  EXPECT_GE(reports, 2);
}

TEST(Search, IncumbentsFallAndEndAtTheAnswer) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 100, 3, 0);
  SolveOptions options = few_steps();
  options.steps.reset();
  const Clock::time_point begin = Clock::now();
  options.deadline = begin + std::chrono::seconds(20);  // the third incumbent ends it, on a busy machine as well
  std::atomic<bool> stop = false;
  std::vector<double> costs;
  Solution last;
  SolveCallbacks callbacks;
  callbacks.incumbent = [&](int index, double cost, const Solution& solution) {
    EXPECT_EQ(index, 0);
    const Verdict verdict = verify(instance, solution);
    EXPECT_TRUE(verdict.feasible);
    EXPECT_DOUBLE_EQ(cost, verdict.cost);
    costs.push_back(cost);
    last = solution;
    stop = costs.size() >= 3;
  };
  callbacks.stop = &stop;
  const SolveResult result = search_one(instance, options, callbacks);
  EXPECT_GE(costs.size(), 2u);
  EXPECT_LE(static_cast<double>(costs.size()), 2 + 10 * seconds_between(begin, Clock::now())) << "ten looks a second";
  EXPECT_TRUE(std::is_sorted(costs.rbegin(), costs.rend()));
  EXPECT_EQ(costs.back(), result.cost);
  EXPECT_EQ(last.routes, result.solution.routes);
}

TEST(Search, CostsAMatrixWithoutCoordinates) {
  const Instance instance = test::explicit_instance(25);
  const SolveResult result = search_one(instance, few_steps());
  EXPECT_TRUE(verify(instance, result.solution).feasible);
  EXPECT_EQ(result.cost, verify(instance, result.solution).cost);
  EXPECT_EQ(result.cost, static_cast<double>(static_cast<long>(result.cost)));
}

TEST(Search, TinyInstancesNeedNoModel) {
  for (const ProblemKind kind : kProblemKinds)
    for (int size = 1; size <= 8; ++size) {
      const Instance instance = generate_uniform(kind, size, 1, 0);
      const Job job{.instance = &instance};
      const SolveResult result = search_jobs({&job, 1}, *open_device("auto"), few_steps()).at(0);
      EXPECT_TRUE(verify(instance, result.solution).feasible);
      EXPECT_EQ(result.stopped_by, StopReason::exact);
    }
  EXPECT_EQ(search_one(generate_uniform(ProblemKind::tsp, 10, 1, 0), few_steps()).steps, 30);
}

TEST(Search, AllPointsAtOnePlace) {
  Instance instance = generate_uniform(ProblemKind::tsp, 15, 1, 0);
  for (Point& point : instance.coordinates) point = {0.5, 0.5};
  EXPECT_EQ(search_one(instance, few_steps()).cost, 0);
}

TEST(Search, RefusesOptionsThatMakeNoSense) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 12, 1, 0);
  const auto with = [](auto change) {
    SolveOptions options = few_steps();
    change(options);
    return options;
  };
  EXPECT_THROW(search_one(instance, with([](auto& o) { o.copies = 0; })), InputError);
  EXPECT_THROW(search_one(instance, with([](auto& o) { o.steps = -1; })), InputError);
  EXPECT_THROW(search_one(instance, with([](auto& o) { o.steps.reset(); })), InputError);
  EXPECT_THROW(search_one(instance, with([](auto& o) { o.stall_limit = -1; })), InputError);
  for (const int threads : {-1, kMostThreads + 1, 300'000'000})
    EXPECT_THROW(search_one(instance, with([&](auto& o) { o.threads = threads; })), InputError) << threads;
  for (const int copies : {-1, kMostSessionCopies + 1})
    EXPECT_THROW(search_one(instance, with([&](auto& o) { o.session_copies = copies; })), InputError) << copies;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double limit : {nan, -1.0, 1e300})
    EXPECT_THROW(search_one(instance, with([&](auto& o) { o.time_limit = limit; })), InputError) << limit;
  EXPECT_THROW(search_one(instance, with([&](auto& o) { o.target_cost = nan; })), InputError);
  EXPECT_THROW(search_one(instance, with([](auto& o) { o.precision = "decimal"; })), InputError);
  EXPECT_THROW(search_one(instance, with([](auto& o) { o.curve = {5, 31}; })), InputError);
  EXPECT_THROW(search_one(instance, with([](auto& o) { o.curve = {5, 5}; })), InputError);
  const Job without_model{.instance = &instance};
  EXPECT_THROW(search_jobs({&without_model, 1}, *open_device("auto"), few_steps()), InputError);
  EXPECT_THROW(test::search_set({&instance, 1}, few_steps(), {}, test::small_model(ProblemKind::cvrp)), InputError);
}

TEST(SessionOptions, LookTwoEdgesAheadBesideLocalSearch) {
  const policy::Model model = test::random_model(test::small_architecture(ProblemKind::tsp));
  SolveOptions options;
  EXPECT_EQ(session_options(options, model, 10).polish_interval, 10);
  EXPECT_EQ(session_options(options, model, 10).foresight, 2);
  options.polish = 0;
  EXPECT_EQ(session_options(options, model, 10).foresight, policy::kMostForesight);
  options.polish = 5;
  EXPECT_EQ(session_options(options, model).polish_interval, 5);
  EXPECT_EQ(session_options(options, model).foresight, 2);
}

}  // namespace
}  // namespace neuopt::search
