// Instances far above what the policy knows, and deadlines and interrupts that come at any moment.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "env/host_instance.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "search/pace.h"
#include "search/parts/kicks.h"
#include "search/starts.h"
#include "search_fixture.h"

namespace neuopt::search {
namespace {

constexpr double kGenerous = 1.5;  // seconds beyond a limit: the machine may be busy with something else

/// With the file's convention in place of the unit square.
Instance rounded(ProblemKind kind, int customers) {
  Instance instance = generate_uniform(kind, customers, 4, 0);
  instance.metric = Metric::euc_2d;
  instance.name = "large";
  for (Point& point : instance.coordinates) point = {1e5 * point.x, 1e5 * point.y};
  // Rounding makes a way a unit longer at most, which the ends of the day give back.
  for (TimeWindow& window : instance.windows) window = {1e5 * window.opens, 1e5 * window.closes + 1};
  for (double& service : instance.service) service *= 1e5;
  if (!instance.windows.empty()) instance.windows[0].closes += 2;
  return instance;
}

SolveOptions timed(double seconds, bool use_policy) {
  SolveOptions options;
  options.use_policy = use_policy;
  options.steps.reset();
  options.deadline = after(Clock::now(), seconds);
  return options;
}

TEST(LargeSearch, AnswersInTimeWithAndWithoutAPolicy) {
  for (const ProblemKind kind : kProblemKinds)
    for (const bool use_policy : {false, true})
      for (const bool unit : {false, true})
        for (const double limit : {0.05, 0.6}) {
          const Instance instance = unit ? generate_uniform(kind, 12'000, 4, 0) : rounded(kind, 12'000);
          const Clock::time_point begin = Clock::now();
          const SolveResult result = test::search_one(instance, timed(limit, use_policy));
          EXPECT_LT(seconds_between(begin, Clock::now()), limit + kGenerous);
          EXPECT_TRUE(verify(instance, result.solution).feasible);
        }
}

TEST(LargeSearch, MoreTimeIsBetter) {
  const Instance instance = rounded(ProblemKind::tsp, 6000);
  const double curve = solution_cost(instance, make_start(instance, StartKind::curve, 1));
  const double searched = test::search_one(instance, timed(3, false)).cost;
  EXPECT_LT(searched, 0.85 * curve);
}

TEST(LargeSearch, The26thStepIsOneOf26InTheFeasibleShare) {
  const Instance instance = generate_uniform(ProblemKind::cvrp, 250, 4, 0);
  const auto share_after = [&](long steps) {
    SolveOptions options;
    options.steps = steps;  // the first round has 25
    options.start = StartKind::greedy;
    return test::search_one(instance, options).feasible_share;
  };
  const double feasible = 25 * share_after(25);
  EXPECT_GT(feasible, 0);
  EXPECT_GE(26 * share_after(26), feasible - 1e-9);
  EXPECT_LE(26 * share_after(26), feasible + 1 + 1e-9);
}

TEST(LargeSearch, SaysByHowMuchTheLimitWasPassed) {
  const Instance instance = rounded(ProblemKind::cvrp, 5000);
  for (const bool use_policy : {false, true}) {
    std::vector<std::string> notes;
    SolveCallbacks callbacks;
    callbacks.note = [&](const std::string& text) { notes.push_back(text); };
    const SolveResult result = test::search_one(instance, timed(-3, use_policy), callbacks);
    EXPECT_EQ(result.stopped_by, StopReason::time);
    EXPECT_EQ(result.cost, verify(instance, make_start(instance, StartKind::curve, 1)).cost) << "the quickest start";
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("large: the time was over before there was a solution; answered 3."), std::string::npos)
        << notes[0];
  }
}

TEST(LargeSearch, AnInterruptBeforeTheStartIsAnsweredByTheQuickest) {
  const Instance instance = rounded(ProblemKind::tsp, 5000);
  const std::atomic<bool> stop = true;
  SolveCallbacks callbacks;
  callbacks.stop = &stop;
  callbacks.note = [](const std::string& text) { ADD_FAILURE() << text; };
  for (const bool use_policy : {false, true}) {
    const SolveResult result = test::search_one(instance, timed(60, use_policy), callbacks);
    EXPECT_EQ(result.stopped_by, StopReason::interrupt);
    EXPECT_EQ(result.cost, solution_cost(instance, make_start(instance, StartKind::curve, 1)));
  }
}

/// Whether another of the random starts of an instance is better than the first: who looks at all takes that one.
bool another_is_better(const Instance& instance, const SolveOptions& options) {
  const Job job{.instance = &instance, .start = StartKind::random};
  const Job* const jobs[] = {&job};
  const PreparedJob prepared = std::move(prepare(jobs, options, {}, {}).front());
  const double first = tour_cost(prepared.view, start_of(prepared, options, 0));
  for (int copy = 1; copy < options.copies; ++copy)
    if (tour_cost(prepared.view, start_of(prepared, options, copy)) < first) return true;
  return false;
}

TEST(LargeSearch, WithoutTimeOneRandomStartIsEnough) {
  const Instance instance = rounded(ProblemKind::tsp, 3000);
  const std::atomic<bool> stop = true;
  int better = 0;
  for (const bool interrupted : {false, true})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SolveCallbacks callbacks;
      if (interrupted) callbacks.stop = &stop;
      SolveOptions options = timed(interrupted ? 60 : -1, true);
      options.start = StartKind::random;
      options.seed = seed;
      better += another_is_better(instance, options) ? 1 : 0;
      const double first = solution_cost(instance, make_start(instance, StartKind::random, seed));
      EXPECT_EQ(test::search_one(instance, options, callbacks).cost, first) << seed;
    }
  EXPECT_GT(better, 0) << "the test asks for nothing";
}

TEST(LargeSearch, RandomStartsWithNothingRandomAreOne) {
  for (const ProblemKind kind : {ProblemKind::cvrp, ProblemKind::vrptw})
    for (const Instance& instance : {generate_uniform(kind, 300, 4, 0), rounded(kind, 300), rounded(kind, 3000)}) {
      const Job job{.instance = &instance, .start = StartKind::random};
      const Job* const jobs[] = {&job};
      const PreparedJob prepared = std::move(prepare(jobs, {}, {}, {}).front());
      ASSERT_TRUE(prepared.start);
      EXPECT_FALSE(prepared.hurried);
      for (const std::uint32_t copy : {0, 5})
        EXPECT_EQ(*prepared.start, env::standard_start(prepared.view, Random{1}, 0, copy)) << problem_name(kind);
    }
}

/// Everybody is to be served at the same moment: many more routes than the demands need.
TEST(LargeSearch, TheRandomStartHasRoomForAsManyRoutesAsWindowsNeed) {
  Instance instance = generate_uniform(ProblemKind::vrptw, kMatrixUpTo + 100, 3, 0);
  for (std::size_t node = 1; node < instance.windows.size(); ++node) instance.windows[node] = {2, 2};
  const Solution start = make_start(instance, StartKind::random, 1);
  EXPECT_TRUE(verify(instance, start).feasible);
  EXPECT_EQ(start.routes.size(), static_cast<std::size_t>(instance.customers()));
}

TEST(LargeSearch, WithoutTimeForTheOrderOfWindowsTheCurveIsTheStart) {
  const Instance instance = rounded(ProblemKind::vrptw, 3000);
  const Job job{.instance = &instance, .start = StartKind::random};
  const Job* const jobs[] = {&job};
  const std::atomic<bool> stop = true;
  for (const Until& until : {Until{.deadline = Clock::now()}, Until{.stop = &stop}}) {
    const PreparedJob prepared = std::move(prepare(jobs, {}, until, {}).front());
    EXPECT_TRUE(prepared.hurried);
    ASSERT_TRUE(prepared.start);
    EXPECT_EQ(to_solution(prepared.view, *prepared.start).routes, make_start(instance, StartKind::curve, 1).routes);
  }
}

/// Progress tells of a better cost before there is its tour, while the start is kicked.
TEST(LargeSearch, EveryIncumbentIsBetterThanTheLast) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 1000, 4, 0);
  std::vector<double> costs;
  SolveCallbacks callbacks;
  callbacks.incumbent = [&](int, double cost, const Solution& solution) {
    EXPECT_EQ(cost, solution_cost(instance, solution));
    if (!costs.empty()) {
      EXPECT_LT(cost, costs.back());
    }
    costs.push_back(cost);
  };
  const SolveResult result = test::search_one(instance, timed(2.5, true), callbacks);
  ASSERT_GE(costs.size(), 2u) << "the start and what was found";
  EXPECT_EQ(costs.back(), result.cost);
}

/// One vehicle has room for all, all day long: with time windows such a route cannot be cut.
Instance one_long_route(int customers) {
  Instance instance = generate_uniform(ProblemKind::vrptw, customers, 4, 0);
  instance.name = "long";
  instance.windows.assign(static_cast<std::size_t>(instance.size), {0, 1000});
  instance.capacity = 1e6;
  return instance;
}

TEST(LargeSearch, WhereNothingCanBeCutKicksTakeTheTimeThatIsLeft) {
  const Instance instance = one_long_route(250);
  std::vector<std::string> notes;
  SolveCallbacks callbacks;
  callbacks.note = [&](const std::string& text) { notes.push_back(text); };
  const Clock::time_point begin = Clock::now();
  const SolveResult result = test::search_one(instance, timed(2, true), callbacks);
  EXPECT_GT(seconds_between(begin, Clock::now()), 1.8);
  EXPECT_LT(seconds_between(begin, Clock::now()), 2 + kGenerous);
  EXPECT_EQ(result.stopped_by, StopReason::time);
  EXPECT_GT(result.steps, 0);
  EXPECT_TRUE(result.feasible);
  EXPECT_EQ(notes, std::vector<std::string>{"long: its routes are too long to be searched by parts; local search with "
                                            "random kicks takes the place of the policy until parts can be cut out"});
}

/// A window of near nodes needs edges between them, which a random tour has none of.
TEST(LargeSearch, FromARandomStartThePolicyTakesOverFromTheKicks) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 2000, 4, 0);
  std::vector<std::string> notes;
  int parts = 0;
  SolveCallbacks callbacks;
  callbacks.note = [&](const std::string& text) { notes.push_back(text); };
  callbacks.progress = [&](const Progress& progress) { parts = progress.parts; };
  const SolveResult result = test::search_one(instance, {.start = StartKind::random, .steps = 120}, callbacks);
  EXPECT_EQ(notes, std::vector<std::string>{
                       instance.name + ": nothing can be cut out of its solution; local search "
                                       "with random kicks takes the place of the policy until parts can be cut out"});
  EXPECT_GT(parts, 0);
  EXPECT_EQ(result.copies, 16) << "of the policy's rounds";
}

TEST(LargeSearch, NodesAtOnePlaceAreKicked) {
  Instance instance = rounded(ProblemKind::tsp, 300);
  std::fill(instance.coordinates.begin(), instance.coordinates.end(), Point{5, 5});
  int notes = 0;
  SolveCallbacks callbacks;
  callbacks.note = [&](const std::string&) { ++notes; };
  EXPECT_EQ(test::search_one(instance, {.steps = 60}, callbacks).cost, 0);
  EXPECT_EQ(notes, 1);
}

TEST(LargeSearch, WhereNothingCanBeCutStepsAndPatienceEndTheKicks) {
  const Instance instance = one_long_route(130);
  const SolveOptions by_steps{.by_parts = true, .steps = 40};
  const SolveOptions by_patience{.by_parts = true, .steps = 1000, .patience = 30};
  for (SolveOptions options : {by_steps, by_patience}) {
    options.threads = 1;
    const SolveResult one = test::search_one(instance, options);
    options.threads = 3;
    const SolveResult three = test::search_one(instance, options);
    EXPECT_EQ(one.stopped_by, options.patience > 0 ? StopReason::patience : StopReason::steps);
    EXPECT_EQ(one.solution.routes, three.solution.routes) << "no clock, so the threads make no difference";
    EXPECT_EQ(one.steps, three.steps);
    if (options.patience == 0) {
      EXPECT_EQ(one.steps, 40);
    }
  }
}

/// The search around them may see the target a little farther away: it goes on, and must come to its end.
TEST(LargeSearch, KicksThatAreAtTheTargetCountAllTheSame) {
  const Instance instance = one_long_route(130);
  const Job job{.instance = &instance};
  const Job* const jobs[] = {&job};
  const PreparedJob prepared = std::move(prepare(jobs, {.copies = 1}, {}, {}).front());
  const SolveOptions options{.steps = 40, .target_cost = 1e9};
  EXPECT_GT(kicked_round(prepared, *prepared.start, 0, 10, options, {}, [](double) {}).steps, 0);
}

/// Neither steps nor a clock say how long the kicked start may be.
TEST(LargeSearch, PatienceAloneEndsIt) {
  for (const ProblemKind kind : kProblemKinds) {
    const Instance instance = generate_uniform(kind, 25, 4, 0);
    double costs[2] = {};
    for (const int threads : {1, 2}) {
      std::atomic<bool> stop = false;
      SolveCallbacks callbacks;
      callbacks.stop = &stop;
      callbacks.progress = [&](const Progress& progress) { stop = progress.seconds > 20; };
      SolveOptions options{.threads = threads, .by_parts = true, .patience = 5};
      options.steps.reset();
      const SolveResult result = test::search_one(instance, options, callbacks);
      EXPECT_EQ(result.stopped_by, StopReason::patience) << problem_name(kind);
      costs[threads - 1] = result.cost;
    }
    EXPECT_EQ(costs[0], costs[1]) << "no clock, so the threads make no difference";
  }
}

/// The clock ends the local search of the start somewhere: what it reached is a start like any other.
TEST(LargeSearch, ALocalSearchThatEndsEarlyKeepsWhatItReached) {
  const Instance instance = rounded(ProblemKind::cvrp, 8000);
  const Job job{.instance = &instance};
  const Job* const jobs[] = {&job};
  bool between = false;
  for (double seconds = 0.02; seconds < 3 && !between; seconds *= 1.5) {
    const PreparedJob prepared = std::move(prepare(jobs, {.copies = 1}, {after(Clock::now(), seconds)}, {}).front());
    EXPECT_TRUE(verify(instance, to_solution(prepared.view, *prepared.start)).feasible);
    between = !prepared.hurried && !prepared.polished;
  }
  EXPECT_TRUE(between) << "some limit is long enough for a start and too short for all of its local search";
}

}  // namespace
}  // namespace neuopt::search
