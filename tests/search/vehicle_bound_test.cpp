#include "search/vehicle_bound.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "problem/generate.h"
#include "problem/normalize.h"
#include "problem/size_rules.h"
#include "problem/verify.h"
#include "search/exact.h"
#include "search/pace.h"
#include "search/starts.h"
#include "search_fixture.h"

namespace neuopt::search {
namespace {

/// A bound that good solutions exceed: the vehicles are almost full.
Instance tight_instance(int customers, std::uint64_t number) {
  Instance instance = generate_uniform(ProblemKind::cvrp, customers, 3, number);
  instance.vehicles = 5;
  const double total = std::accumulate(instance.demand.begin(), instance.demand.end(), 0.0);
  instance.capacity = std::ceil(total / instance.vehicles);
  return instance;
}

TEST(VehicleBound, StartsFitFromWhereverTheyCome) {
  int binding = 0;
  for (std::uint64_t number = 0; number < 30; ++number) {
    const Instance instance = tight_instance(40, number);
    Instance unbounded = instance;
    unbounded.vehicles = 0;
    for (const StartKind start : {StartKind::automatic, StartKind::random, StartKind::curve}) {
      binding += verify(instance, make_start(unbounded, start, 1)).feasible ? 0 : 1;
      EXPECT_TRUE(verify(instance, make_start(instance, start, 1)).feasible) << number << " " << start_name(start);
    }
  }
  EXPECT_GT(binding, 30) << "the test asks for nothing";
}

/// Starts with more routes than a search usually has room for.
TEST(VehicleBound, ABoundAboveTheUsualDepotsLeavesRoomForTheStart) {
  int above_usual = 0;
  for (std::uint64_t number = 0; number < 4; ++number)
    for (const int vehicles : {25, 30, 36, 41, 50}) {
      Instance instance = generate_uniform(ProblemKind::vrptw, 100, 3, number);
      instance.vehicles = vehicles;
      const Solution start = make_start(instance, StartKind::curve, 1);
      EXPECT_TRUE(verify(instance, start).feasible) << number << " " << vehicles;
      above_usual += static_cast<int>(start.routes.size()) > usual_depots(instance.kind, 100) ? 1 : 0;
    }
  EXPECT_GT(above_usual, 5) << "the test asks for nothing";
}

TEST(VehicleBound, AnInitialSolutionMayHaveAsManyRoutes) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 60, 3, 0);
  Solution pairs;
  for (int node = 1; node < instance.size; node += 2) pairs.routes.push_back({node, node + 1});
  SolveOptions options{.copies = 1, .polish = 0, .initial = pairs, .steps = 0};
  for (const int vehicles : {30, 28, 22}) {
    instance.vehicles = vehicles;
    const SolveResult result = test::search_one(instance, options);
    EXPECT_TRUE(result.feasible);
    EXPECT_EQ(result.solution.routes.size(), static_cast<std::size_t>(vehicles));
  }
}

TEST(VehicleBound, TheSearchStaysWithinIt) {
  for (const bool policy : {true, false}) {
    const Instance instance = tight_instance(30, 1);
    SolveOptions options;
    options.copies = 2;
    options.steps = 60;
    options.use_policy = policy;
    options.polish = 5;
    const auto result = test::search_set({&instance, 1}, options, {}, test::small_model(ProblemKind::cvrp)).at(0);
    EXPECT_TRUE(result.feasible);
    EXPECT_LE(result.solution.routes.size(), static_cast<std::size_t>(instance.vehicles));
  }
}

TEST(VehicleBound, WhereNoneIsFoundTheBestIsReturnedAsWrong) {
  Instance instance = tight_instance(20, 2);
  --instance.vehicles;
  SolveOptions options;
  options.copies = 1;
  options.steps = 5;
  std::vector<std::string> notes;
  SolveCallbacks callbacks;
  callbacks.note = [&](const std::string& text) { notes.push_back(text); };
  const auto result = test::search_set({&instance, 1}, options, callbacks, test::small_model(ProblemKind::cvrp)).at(0);
  EXPECT_FALSE(result.feasible);
  EXPECT_EQ(verify(instance, result.solution).findings.size(), 1u);
  EXPECT_EQ(notes, std::vector<std::string>{instance.name + ": no solution has 4 vehicles: the demands alone need 5"})
      << "not tried";
}

/// Every customer alone, and vehicles that are enough when some of these routes are joined.
Instance roomy_instance(ProblemKind kind, Solution& alone) {
  Instance instance = generate_uniform(kind, 60, 3, 0);
  for (int node = 1; node < instance.size; ++node) alone.routes.push_back({node});
  instance.vehicles = 40;
  return instance;
}

TEST(VehicleBound, NotesComeInTheOrderOfTheJobsAndFromTheCaller) {
  std::vector<Instance> instances;
  for (int i = 0; i < 20; ++i) {
    instances.push_back(generate_uniform(ProblemKind::cvrp, 20 + 10 * (i % 3), 3, 0));
    instances.back().vehicles = 1;
  }
  std::vector<Job> jobs;
  for (const Instance& instance : instances) jobs.push_back({.instance = &instance, .start = StartKind::curve});
  std::vector<const Job*> pointers;
  for (const Job& job : jobs) pointers.push_back(&job);
  const auto notes_with = [&](int threads) {
    std::vector<std::string> notes;
    const auto keep = [&, caller = std::this_thread::get_id()](const std::string& note) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      notes.push_back(note);
    };
    prepare(pointers, {.copies = 1, .threads = threads, .polish = 0}, {}, keep);
    return notes;
  };
  const std::vector<std::string> alone = notes_with(1);
  EXPECT_EQ(alone.size(), instances.size());
  EXPECT_EQ(notes_with(4), alone);
}

TEST(VehicleBound, NothingIsTriedWhenTheTimeIsOver) {
  const std::atomic<bool> stop = true;
  const Until interrupted{.stop = &stop}, late{.deadline = Clock::now()};
  for (const ProblemKind kind : {ProblemKind::cvrp, ProblemKind::vrptw}) {
    Solution alone;
    Instance instance = roomy_instance(kind, alone);
    const SearchInstance view = make_search_instance(instance, {.min_depots = instance.size});
    ASSERT_TRUE(fit_vehicles(instance, view, alone)) << "the test asks for nothing";
    EXPECT_FALSE(fit_vehicles(instance, view, alone, interrupted)) << problem_name(kind);
    EXPECT_FALSE(fit_vehicles(instance, view, alone, late)) << problem_name(kind);
    instance.vehicles = instance.customers();
    const std::optional<Solution> same = fit_vehicles(instance, view, alone, late);
    ASSERT_TRUE(same) << "there is nothing to do";
    EXPECT_EQ(same->routes, alone.routes);
  }
}

TEST(VehicleBound, AnInterruptIsAnsweredWithoutASearchForFewerRoutes) {
  const std::atomic<bool> stop = true;
  SolveCallbacks callbacks;
  callbacks.stop = &stop;
  for (const ProblemKind kind : {ProblemKind::cvrp, ProblemKind::vrptw}) {
    Solution alone;
    const Instance instance = roomy_instance(kind, alone);
    const SolveResult result = test::search_one(instance, {.initial = alone}, callbacks);
    EXPECT_EQ(result.stopped_by, StopReason::interrupt);
    EXPECT_EQ(result.solution.routes.size(), alone.routes.size()) << problem_name(kind);
  }
}

/// Everybody is to be served at the same moment, by one vehicle less than there are customers.
TEST(VehicleBound, ManyVehiclesMayBeTooFewAsWell) {
  Instance instance = generate_uniform(ProblemKind::vrptw, kMatrixUpTo + 100, 3, 0);
  instance.vehicles = instance.customers() - 1;
  Solution alone;
  for (int node = 1; node < instance.size; ++node) {
    instance.windows[static_cast<std::size_t>(node)] = {2, 2};
    alone.routes.push_back({node});
  }
  const SearchInstance view = make_search_instance(instance, {.min_depots = instance.size});
  EXPECT_FALSE(fit_vehicles(instance, view, alone, {.deadline = Clock::now()}));
}

TEST(VehicleBound, LargeLoadsFitToTheUnit) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 12, 3, 0);
  instance.capacity = 2e9;
  for (int node = 1; node <= 12; ++node)
    instance.demand[static_cast<std::size_t>(node)] = node <= 6 ? 1'000'000'001 : node <= 8 ? 1e9 : 999'999'990;
  Solution alone;
  for (int node = 1; node <= 12; ++node) alone.routes.push_back({node});
  for (instance.vehicles = 7; instance.vehicles < 12; ++instance.vehicles) {
    const auto fitted = fit_vehicles(instance, make_search_instance(instance, {.min_depots = 13}), alone, {});
    ASSERT_TRUE(fitted) << instance.vehicles;
    EXPECT_TRUE(verify(instance, *fitted).feasible) << instance.vehicles;
  }
}

/// The search rounds such demands up, so that it takes full vehicles for overloaded.
TEST(VehicleBound, AStartThatTheSearchRefusesIsAnsweredWith) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 12, 3, 0);
  instance.capacity = 20'000'001;
  instance.vehicles = 6;
  for (int node = 1; node <= 12; ++node) instance.demand[static_cast<std::size_t>(node)] = 10'000'000 + node % 2;
  SolveOptions options;
  options.steps = 50;
  for (const bool use_policy : {true, false}) {
    options.use_policy = use_policy;
    const SolveResult result = test::search_one(instance, options);
    EXPECT_TRUE(result.feasible);
    EXPECT_TRUE(verify(instance, result.solution).feasible);
  }
}

TEST(VehicleBound, TinyInstancesAreExactWithinIt) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 6, 1, 0);
  instance.demand = {0, 5, 5, 5, 5, 5, 5};
  instance.capacity = 15;
  instance.coordinates = {{0.5, 0.5}, {0, 0}, {0, 0.01}, {1, 0}, {1, 0.01}, {0.5, 1}, {0.51, 1}};
  const Solution free = solve_exactly(instance);
  ASSERT_EQ(free.routes.size(), 3u) << "two by two";
  instance.vehicles = 2;
  const Solution bounded = solve_exactly(instance);
  EXPECT_TRUE(verify(instance, bounded).feasible);
  EXPECT_GT(solution_cost(instance, bounded), solution_cost(instance, free));
  instance.vehicles = 1;
  EXPECT_FALSE(verify(instance, solve_exactly(instance)).feasible);
}

}  // namespace
}  // namespace neuopt::search
