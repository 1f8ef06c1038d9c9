// Copies that do not fit into memory together: searched in turns, or refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "search/pace.h"
#include "search/search_fixture.h"

namespace neuopt::search {
namespace {

/// A backend that remembers how many copies were there at the same time.
class CountingBackend final : public policy::Backend {
 public:
  using Bytes = std::function<double(int copies)>;

  explicit CountingBackend(Bytes bytes_of) : bytes_of_(std::move(bytes_of)) {}

  std::string name() const override { return inner_->name(); }
  double session_bytes(const std::shared_ptr<const policy::Model>&, int, int copies,
                       const policy::SessionOptions&) override {
    return bytes_of_(copies);
  }
  std::vector<policy::NetworkOutput> evaluate(const policy::Model& model,
                                              std::span<const policy::NetworkInput> inputs) override {
    return inner_->evaluate(model, inputs);
  }
  std::unique_ptr<policy::Session> open(std::shared_ptr<const policy::Model> model,
                                        std::span<const policy::Copy> copies,
                                        const policy::SessionOptions& options) override {
    return std::make_unique<Counted>(inner_->open(std::move(model), copies, options), *this);
  }
  int most_copies() const { return most_; }

 private:
  class Counted final : public policy::Session {
   public:
    Counted(std::unique_ptr<policy::Session> inner, CountingBackend& backend)
        : inner_(std::move(inner)), backend_(backend) {
      backend_.present_ += inner_->copies();
      backend_.most_ = std::max(backend_.most_, backend_.present_);
    }
    ~Counted() override { backend_.present_ -= inner_->copies(); }
    int advance(int steps, const std::atomic<bool>* stop) override { return inner_->advance(steps, stop); }
    int copies() const override { return inner_->copies(); }
    env::SearchStatus status(int copy) const override { return inner_->status(copy); }
    double best_cost(int copy) const override { return inner_->best_cost(copy); }
    std::vector<int> best_tour(int copy) const override { return inner_->best_tour(copy); }
    std::vector<int> current_tour(int copy) const override { return inner_->current_tour(copy); }
    policy::Visits visits() const override { return inner_->visits(); }
    void restart(std::span<const int> which, std::span<const policy::Copy> onto) override {
      inner_->restart(which, onto);
    }
    void observe(policy::StepObserver observer) override { inner_->observe(std::move(observer)); }

   private:
    std::unique_ptr<policy::Session> inner_;
    CountingBackend& backend_;
  };

  Bytes bytes_of_;
  std::unique_ptr<policy::Backend> inner_ = open_device("cpu");
  int present_ = 0, most_ = 0;
};

class CopiesInTurns : public testing::Test {
 protected:
  std::vector<SolveResult> run(const std::vector<Instance>& set, const SolveOptions& options,
                               const SolveCallbacks& callbacks = {}) {
    const std::shared_ptr<const policy::Model> model = test::small_model(set[0].kind);
    std::vector<Job> jobs;
    for (const Instance& instance : set)
      jobs.push_back({.instance = &instance,
                      .id = static_cast<std::uint32_t>(jobs.size()),
                      .model = {model, "small"},
                      .start = options.start});
    backend_.emplace(bytes_);
    return search_jobs(jobs, *backend_, options, callbacks);
  }

  CountingBackend::Bytes bytes_ = [](int copies) { return 1000.0 * copies; };
  std::optional<CountingBackend> backend_;
};

TEST_F(CopiesInTurns, GiveTheAnswerThatAllOfThemGiveAtOnce) {
  for (const ProblemKind kind : kProblemKinds)
    for (const StartKind start : {StartKind::random, StartKind::automatic}) {
      const std::vector<Instance> set = test::uniform_set(kind, 14, 2);
      SolveOptions options{.copies = 17, .session_copies = 4, .start = start, .steps = 30};
      options.curve = {0, 10, 30};
      const std::vector<SolveResult> at_once = run(set, options);
      EXPECT_EQ(backend_->most_copies(), 17);
      for (const auto& [kilobytes, most] : std::vector<std::pair<int, int>>{{9, 8}, {5, 4}, {3, 3}, {1, 1}}) {
        options.memory_limit = 1000.0 * kilobytes + 1;
        const std::vector<SolveResult> in_turns = run(set, options);
        EXPECT_EQ(backend_->most_copies(), most);
        ASSERT_EQ(in_turns.size(), at_once.size());
        for (std::size_t i = 0; i < set.size(); ++i) {
          EXPECT_EQ(in_turns[i].solution.routes, at_once[i].solution.routes);
          EXPECT_EQ(in_turns[i].cost, at_once[i].cost);
          EXPECT_EQ(in_turns[i].curve, at_once[i].curve);
          EXPECT_EQ(in_turns[i].steps, 30);
          EXPECT_EQ(in_turns[i].copies, 17);
          EXPECT_EQ(in_turns[i].stopped_by, StopReason::steps);
          EXPECT_EQ(in_turns[i].feasible_share, at_once[i].feasible_share);
        }
      }
    }
}

TEST_F(CopiesInTurns, ShareTheTimeAndAnswerAStopAtOnce) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::cvrp, 20, 1);
  SolveOptions options{.copies = 6, .session_copies = 2, .memory_limit = 2001, .steps = 1'000'000'000};
  options.deadline = after(Clock::now(), 0.6);
  EXPECT_EQ(run(set, options).at(0).stopped_by, StopReason::time);
  EXPECT_LT(seconds_between(*options.deadline, Clock::now()), 0.5);

  options.deadline.reset();
  std::atomic<bool> stop = false;
  SolveCallbacks callbacks;
  callbacks.stop = &stop;
  callbacks.progress = [&](const Progress&) { stop = true; };
  const SolveResult stopped = run(set, options, callbacks).at(0);
  EXPECT_EQ(stopped.stopped_by, StopReason::interrupt);
  EXPECT_TRUE(stopped.feasible);
}

TEST_F(CopiesInTurns, AreRefusedWhereTheClockOrTheCostEndsTheSearch) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 20, 1);
  SolveOptions by_clock{.copies = 1'000'000, .memory_limit = 4e8, .steps = std::nullopt};
  by_clock.deadline = after(Clock::now(), 60);
  SolveOptions by_patience{.copies = 1'000'000, .memory_limit = 4e8, .steps = 1000, .patience = 10};
  for (const SolveOptions& options : {by_clock, by_patience}) try {
      run(set, options);
      FAIL();
    } catch (const ResourceError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("1000000 copies of 20 nodes need about 1.0 GB of memory, 400.0 MB are allowed"),
                std::string::npos)
          << text;
    }
}

/// Steps can wait for room, but not for more than there will ever be.
TEST_F(CopiesInTurns, AreRefusedWhereALimitHasNoRoomForOne) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::cvrp, 14, 2);
  for (const bool by_clock : {false, true}) {
    SolveOptions options{.copies = 3, .memory_limit = 999, .steps = 5};
    if (by_clock) {
      options.steps = std::nullopt;
      options.deadline = after(Clock::now(), 60);
    }
    try {
      run(set, options);
      FAIL();
    } catch (const ResourceError& error) {
      EXPECT_STREQ(error.what(), "one copy of 21 nodes needs about 1000 bytes of memory, 999 bytes are allowed");
    }
  }
}

/// What is free is a guess: it makes copies wait, and refuses nothing that steps end.
TEST_F(CopiesInTurns, AreSearchedOneByOneWhereNoneSeemsToFit) {
  bytes_ = [](int copies) { return 1e18 * copies; };
  const std::vector<Instance> set = test::uniform_set(ProblemKind::cvrp, 14, 2);
  EXPECT_EQ(run(set, {.copies = 3, .steps = 5}).size(), 2u);
  EXPECT_EQ(backend_->most_copies(), 1);
}

/// Large sessions may share what small ones have no less of.
TEST_F(CopiesInTurns, KeepToTheLimitInSmallSessionsToo) {
  bytes_ = [](int copies) { return 1000.0 * copies + 1000.0 * std::min(copies, 10); };
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 20, 1);
  run(set, {.copies = 100, .session_copies = 100, .memory_limit = 4400, .steps = 5});
  EXPECT_EQ(backend_->most_copies(), 2);
}

/// Jobs of one size are searched together, as many as there is room for.
TEST_F(CopiesInTurns, ASetIsCutIntoWavesThatFit) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::cvrp, 14, 7);
  const SolveOptions by_steps{.copies = 3, .steps = 30};
  SolveOptions by_patience{.copies = 3, .steps = 200, .patience = 20}, by_clock{.copies = 3, .steps = std::nullopt};
  for (SolveOptions options : {by_steps, by_patience}) {
    const std::vector<SolveResult> at_once = run(set, options);
    EXPECT_EQ(backend_->most_copies(), 21);
    for (const auto& [kilobytes, most] : std::vector<std::pair<int, int>>{{20, 18}, {11, 9}, {3, 3}}) {
      options.memory_limit = 1000.0 * kilobytes + 1;
      const std::vector<SolveResult> in_waves = run(set, options);
      EXPECT_EQ(backend_->most_copies(), most);
      ASSERT_EQ(in_waves.size(), set.size());
      for (std::size_t i = 0; i < set.size(); ++i) {
        EXPECT_EQ(in_waves[i].solution.routes, at_once[i].solution.routes);
        EXPECT_EQ(in_waves[i].steps, at_once[i].steps);
        EXPECT_EQ(in_waves[i].stopped_by, at_once[i].stopped_by);
      }
    }
  }
  by_clock.deadline = after(Clock::now(), 0.5);
  by_clock.memory_limit = 6001;
  EXPECT_EQ(run(set, by_clock).size(), set.size());
  EXPECT_EQ(backend_->most_copies(), 6);
  by_patience.memory_limit = 2001;
  EXPECT_THROW(run(set, by_patience), ResourceError) << "the copies of one job alone do not fit";
}

/// Where nothing is searched together, there is nothing to refuse.
TEST_F(CopiesInTurns, WithoutAPolicyAnyNumberFits) {
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 20, 1);
  const SolveResult result = run(set, {.copies = 3000, .memory_limit = 1, .use_policy = false, .steps = 1}).at(0);
  EXPECT_EQ(result.copies, 3000);
  EXPECT_EQ(backend_->most_copies(), 0);
}

}  // namespace
}  // namespace neuopt::search
