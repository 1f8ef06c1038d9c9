// The search on several jobs at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/error.h"
#include "problem/verify.h"
#include "search/exact.h"
#include "search/observer.h"
#include "search/pace.h"
#include "search/set_summary.h"
#include "search_fixture.h"

namespace neuopt::search {
namespace {

using test::search_set;

SolveOptions two_short_copies() {
  SolveOptions options = paper_protocol();
  options.copies = 2;
  options.steps = 20;
  options.stall_limit = 4;
  return options;
}

std::vector<double> costs(const std::vector<SolveResult>& results) {
  std::vector<double> list;
  for (const SolveResult& result : results) list.push_back(result.cost);
  return list;
}

/// Sizes in no order, tiny ones among them.
std::vector<Instance> mixed_set(ProblemKind kind) {
  std::vector<Instance> set;
  for (const int size : {14, 12, 5, 30, 12, 14, 8, 12})
    set.push_back(generate_uniform(kind, size, 1, static_cast<std::uint64_t>(set.size())));
  return set;
}

TEST(SearchSet, SameAnswersAtAnyNumberOfThreadsAndAnySplit) {
  for (const ProblemKind kind : kProblemKinds) {
    const std::vector<Instance> set = test::uniform_set(kind, 12, 7);
    SolveOptions options = two_short_copies();
    options.steps = 100;
    const std::vector<double> whole = costs(search_set(set, options));
    for (const int threads : {1, 3})
      for (const int session_copies : {1, 3, 6}) {
        options.threads = threads;
        options.session_copies = session_copies;
        EXPECT_EQ(costs(search_set(set, options)), whole);
      }
    EXPECT_NE(costs(search_set(set, two_short_copies())), whole);  // the last steps were not for nothing
    const std::vector<Instance> head(set.begin(), set.begin() + 3);
    EXPECT_EQ(costs(search_set(head, options)), std::vector<double>(whole.begin(), whole.begin() + 3));
  }
}

TEST(SearchSet, SizesMayDiffer) {
  for (const ProblemKind kind : kProblemKinds) {
    const std::vector<Instance> set = mixed_set(kind);
    const std::vector<SolveResult> results = search_set(set, two_short_copies());
    ASSERT_EQ(results.size(), set.size());
    for (std::size_t i = 0; i < set.size(); ++i) {
      EXPECT_EQ(results[i].instance, static_cast<int>(i));
      EXPECT_EQ(results[i].stopped_by, is_tiny(set[i]) ? StopReason::exact : StopReason::steps);
      const Verdict verdict = verify(set[i], results[i].solution);
      EXPECT_TRUE(verdict.feasible && results[i].feasible);
      EXPECT_EQ(verdict.cost, results[i].cost);
      const Job alone{.instance = &set[i],
                      .id = static_cast<std::uint32_t>(i),
                      .model = {test::small_model(kind), "small"},
                      .start = StartKind::random};
      EXPECT_EQ(search_jobs({&alone, 1}, *open_device("auto"), two_short_copies()).at(0).solution.routes,
                results[i].solution.routes);
    }
  }
}

/// Each may need much memory, whatever comes before it. Instances without a solution are told of when they are made
/// ready.
TEST(SearchSet, LargeInstancesAreMadeReadyOneByOne) {
  std::vector<Instance> set;
  for (const int customers : {30, 1100, 1200}) {
    set.push_back(generate_uniform(ProblemKind::cvrp, customers, 1, 0));
    set.back().vehicles = 1;
  }
  std::string events;
  SolveCallbacks callbacks;
  callbacks.note = [&](const std::string&) { events += "ready "; };
  callbacks.finished = [&](const SolveResult&) { events += "done "; };
  search_set(set, {.copies = 8, .threads = 1, .use_policy = false, .steps = 1}, callbacks);
  EXPECT_EQ(events, "ready done ready done ready done ");
}

TEST(SearchSet, JobsWithDifferentModelsMeetInOneSearch) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 20, 2);
  const auto random = [](std::uint64_t seed) {
    return std::make_shared<policy::Model>(test::random_model(test::small_architecture(ProblemKind::tsp), seed));
  };
  const std::vector<Job> jobs = {
      {.instance = &set[0], .id = 0, .model = {random(1), "one"}},
      {.instance = &set[1], .id = 1, .model = {random(2), "two"}},
  };
  const std::vector<SolveResult> results = search_jobs(jobs, *open_device("auto"), two_short_copies());
  EXPECT_EQ(results.at(0).model, "one");
  EXPECT_EQ(results.at(1).model, "two");
}

TEST(SearchSet, AnAnswerDoesNotDependOnWhenTheOthersEnd) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 12, 6);
  SolveOptions options = two_short_copies();
  options.steps.reset();
  options.patience = 30;
  const std::vector<SolveResult> together = search_set(set, options);
  options.session_copies = 1;  // one instance after the other
  const std::vector<SolveResult> apart = search_set(set, options);
  std::set<long> steps;
  for (std::size_t i = 0; i < set.size(); ++i) {
    EXPECT_EQ(together[i].stopped_by, StopReason::patience);
    EXPECT_EQ(together[i].steps, apart[i].steps);
    EXPECT_EQ(together[i].solution.routes, apart[i].solution.routes);
    steps.insert(together[i].steps);
  }
  EXPECT_GT(steps.size(), 1u) << "all ended at the same step: nothing was shown";
}

TEST(SearchSet, ADeadlineIsSharedAndEveryoneIsAnswered) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 50, 12);
  SolveOptions options = two_short_copies();
  options.steps.reset();
  options.session_copies = 2;  // one instance at a time
  const Clock::time_point begin = Clock::now();
  options.deadline = after(begin, 1.2);
  const std::vector<SolveResult> results = search_set(set, options);
  EXPECT_LT(seconds_between(begin, Clock::now()), 3.0);  // generous: the machine may be busy with something else
  ASSERT_EQ(results.size(), set.size());
  double most = 0;
  int searched = 0;
  for (const SolveResult& result : results) {
    EXPECT_TRUE(result.feasible);
    EXPECT_EQ(result.stopped_by, StopReason::time);
    most = std::max(most, result.seconds);
    searched += result.steps > 0;
  }
  EXPECT_LT(most, 0.8) << "one of twelve took most of the time";
  EXPECT_GE(searched, 6);
}

TEST(SearchSet, ADeadlineInThePastGivesTheStarts) {
  const std::vector<Instance> set = mixed_set(ProblemKind::cvrp);
  SolveOptions options = two_short_copies();
  options.deadline = Clock::now() - std::chrono::seconds(1);
  const std::vector<SolveResult> results = search_set(set, options);
  ASSERT_EQ(results.size(), set.size());
  for (const SolveResult& result : results) {
    EXPECT_TRUE(result.feasible);
    EXPECT_EQ(result.steps, 0);
  }
}

TEST(SearchSet, TinyInstancesAreLateAsWell) {
  for (const ProblemKind kind : kProblemKinds) {
    SolveOptions options;
    options.deadline = Clock::now() - std::chrono::seconds(1);
    const std::vector<SolveResult> results = search_set(test::uniform_set(kind, 8, 4), options);
    ASSERT_EQ(results.size(), 4u);
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(results[i].feasible) << problem_name(kind);
      EXPECT_EQ(results[i].stopped_by, i == 0 ? StopReason::exact : StopReason::time) << problem_name(kind);
    }
  }
}

TEST(SearchSet, TheFirstLateAnswersAreNotedAndTheOthersCounted) {
  for (const int count : {3, 4, 20}) {
    const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 12, count);
    std::vector<std::string> notes;
    SolveCallbacks callbacks;
    callbacks.note = [&](const std::string& text) { notes.push_back(text); };
    SolveOptions options;
    options.use_policy = false;
    options.deadline = Clock::now() - std::chrono::seconds(1);
    EXPECT_EQ(search_set(set, options, callbacks).size(), set.size());
    ASSERT_GE(notes.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_TRUE(notes[i].starts_with(set[i].name + ": the time was over before there was a solution; answered 1."))
          << notes[i];
    const std::vector<std::string> others(notes.begin() + 3, notes.end());
    std::vector<std::string> expected;
    if (count > 3) expected = {fmt::format("the time was over before there was a solution of {} more", count - 3)};
    EXPECT_EQ(others, expected);
  }
}

TEST(SearchSet, AStopKeepsWhatIsDoneAndWhatIsInWork) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 12, 6);
  SolveOptions options = two_short_copies();
  options.session_copies = 4;  // two instances at a time
  std::atomic<bool> stop = false;
  SolveCallbacks callbacks;
  callbacks.stop = &stop;
  callbacks.finished = [&](const SolveResult& result) { stop = stop || result.instance == 1; };
  EXPECT_EQ(search_set(set, options, callbacks).size(), 2u);

  stop = false;
  options.steps.reset();  // only the stop ends it
  callbacks.finished = nullptr;
  callbacks.progress = [&](const Progress& progress) { stop = progress.step > 0; };
  const std::vector<SolveResult> results = search_set(set, options, callbacks);
  ASSERT_EQ(results.size(), 2u);
  for (const SolveResult& result : results) {
    EXPECT_EQ(result.stopped_by, StopReason::interrupt);
    EXPECT_TRUE(verify(set[static_cast<std::size_t>(result.instance)], result.solution).feasible);
  }
}

TEST(SearchSet, CallbacksTellOfEveryInstance) {
  const std::vector<Instance> set = mixed_set(ProblemKind::tsp);
  std::map<int, double> incumbent, finished;
  Progress last;
  SolveCallbacks callbacks;
  callbacks.incumbent = [&](int index, double cost, const Solution&) { incumbent[index] = cost; };
  callbacks.finished = [&](const SolveResult& result) { finished[result.instance] = result.cost; };
  callbacks.progress = [&](const Progress& progress) { last = progress; };
  const std::vector<SolveResult> results = search_set(set, two_short_copies(), callbacks);
  for (const SolveResult& result : results) {
    EXPECT_EQ(finished.at(result.instance), result.cost);
    EXPECT_EQ(incumbent.at(result.instance), result.cost);
  }
  EXPECT_EQ(last.instances, static_cast<int>(set.size()));
  EXPECT_EQ(last.instances_done, static_cast<int>(set.size()));
  EXPECT_EQ(last.step, 20);
  EXPECT_GT(last.steps_per_second, 0);
}

TEST(SearchSet, OnlyOneInstanceCanBeWatchedStepByStep) {
  struct Nobody final : SearchObserver {
    void begin(const SearchInstance&, std::span<const std::vector<int>>) override {}
    void step(const policy::StepRecord&) override {}
  } nobody;
  SolveCallbacks callbacks;
  callbacks.observer = &nobody;
  EXPECT_THROW(search_set(test::uniform_set(ProblemKind::tsp, 12, 2), two_short_copies(), callbacks), InputError);
}

TEST(SearchSet, PartsHaveNoCurve) {
  std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 20, 1);
  set.push_back(generate_uniform(ProblemKind::tsp, 300, 1, 0));
  const std::vector<SolveResult> results = test::search_set(set, {.steps = 5, .curve = {1, 5}});
  EXPECT_EQ(results.at(0).curve.size(), 2u);
  EXPECT_TRUE(results.at(1).curve.empty() && results.at(1).feasible);
}

TEST(SetSummary, MeansAreThoseOfTheInstances) {
  std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 15, 4);
  for (std::size_t i = 0; i < set.size(); ++i) set[i].reference_cost = 1.0 + static_cast<double>(i);
  const std::vector<SolveResult> results = search_set(set, two_short_copies());
  const SetSummary summary = summarize(set, results);
  double cost = 0, gap = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    cost += results[i].cost / 4;
    gap += (results[i].cost / *set[i].reference_cost - 1) / 4;
  }
  EXPECT_DOUBLE_EQ(*summary.mean_cost, cost);
  EXPECT_DOUBLE_EQ(*summary.mean_gap, gap);
  EXPECT_DOUBLE_EQ(*summary.mean_reference, 2.5);
  EXPECT_EQ(summary.infeasible, 0);
  EXPECT_EQ(summary.steps, 4 * 2 * 20);
}

TEST(SetSummary, CurveFallsAndEndsAtTheResult) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::cvrp, 12, 3);
  SolveOptions options = two_short_copies();
  options.curve = {0, 5, 10, 20};
  const std::vector<SolveResult> results = search_set(set, options);
  const SetSummary summary = summarize(set, results, options.curve);
  ASSERT_EQ(summary.curve.size(), 4u);
  EXPECT_EQ(summary.curve[0].step, 0);
  EXPECT_EQ(summary.curve[3].step, 20);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LE(summary.curve[i].mean_cost, summary.curve[i - 1].mean_cost);
  EXPECT_NEAR(summary.curve[3].mean_cost.value(), *summary.mean_cost, 1e-5);
  options.curve.clear();
  options.steps = 5;
  EXPECT_NEAR(*summarize(set, search_set(set, options)).mean_cost, summary.curve[1].mean_cost.value(), 1e-5);
}

}  // namespace
}  // namespace neuopt::search
