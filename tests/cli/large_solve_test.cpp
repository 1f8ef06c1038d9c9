// Large files on the command line: limits, interrupts, and what is said about them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/solution_file.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "problem/verify.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::Outcome;
using test::run_program;
using test::TemporaryFolder;

/// A file of many nodes, by a convention of its own.
struct LargeFile {
  TemporaryFolder folder;
  Instance instance;

  explicit LargeFile(ProblemKind kind, int size) : instance(generate_uniform(kind, size, 1, 0)) {
    instance.metric = Metric::euc_2d;
    for (Point& point : instance.coordinates) point = {1e4 * point.x, 1e4 * point.y};
    for (TimeWindow& window : instance.windows) window = {1e4 * window.opens, 1e4 * window.closes + 1};
    for (double& service : instance.service) service *= 1e4;
    if (!instance.windows.empty()) instance.windows[0].closes += 2;
    write_file(folder / "instance", write_instance(instance));
  }

  Outcome solve(const std::string& options, const std::string& launcher = "") const {
    return run_program("solve " + (folder / "instance") + " --output " + (folder / "answer") + " " + options, launcher);
  }
  std::string answer() const { return read_file(folder / "answer"); }
  bool answered() const {
    return verify(instance, read_solution_file(folder / "answer", instance, {}).solution).feasible;
  }
};

TEST(SolveLarge, ALimitThatIsOverBeforeTheFileIsReadIsAnsweredAndSaid) {
  for (const ProblemKind kind : kProblemKinds) {
    const LargeFile file(kind, 20'000);
    const Outcome outcome = file.solve("--time-limit 0.001");
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_NE(outcome.errors.find("the time was over before there was a solution; answered "), std::string::npos)
        << outcome.errors;
    EXPECT_TRUE(file.answered());
  }
}

TEST(SolveLarge, AnInterruptAtAnyMomentIsAnswered) {
  const LargeFile file(ProblemKind::cvrp, 20'000);
  for (const std::string delay : {"0.5", "1.2"}) {
    const Outcome outcome =
        file.solve("--policy none --steps 1000000000", "timeout -s TERM --preserve-status " + delay);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("ended by interrupt"), std::string::npos) << outcome.output;
    EXPECT_TRUE(file.answered());
  }
}

TEST(SolveLarge, ThePolicyIsNotAskedAboveItsSizes) {
  const LargeFile file(ProblemKind::tsp, 2500);
  const Outcome outcome = file.solve("--steps 5 --by-parts no");
  EXPECT_EQ(outcome.code, 2) << outcome.errors;
  EXPECT_NE(outcome.errors.find("2500 nodes are too many for the policy"), std::string::npos) << outcome.errors;
}

TEST(SolveLarge, RoundsAreNotWrittenDownAsSteps) {
  const LargeFile file(ProblemKind::cvrp, 250);
  const std::string trace = file.folder / "trace.jsonl";
  write_file(trace, "older");
  const Outcome refused = file.solve("--steps 1000000000 --trace " + trace);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.errors.find("by-parts no"), std::string::npos) << refused.errors;
  EXPECT_EQ(read_file(trace), "older");
  const Outcome whole = file.solve("--steps 3 --augment 2 --by-parts no --trace " + trace);
  EXPECT_EQ(whole.code, 0) << whole.errors;
  const std::string lines = read_file(trace);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1 + 3 * 2 + 1);
}

TEST(SolveLarge, PartsGiveTheSameAnswerAtAnyNumberOfThreads) {
  for (const ProblemKind kind : kProblemKinds) {
    const LargeFile file(kind, 500);
    std::string answers[2];
    for (const int threads : {1, 2}) {
      const Outcome outcome = file.solve(fmt::format("--steps 60 --threads {} --seed 5", threads));
      EXPECT_EQ(outcome.code, 0) << outcome.errors;
      EXPECT_TRUE(file.answered());
      answers[threads - 1] = file.answer();
    }
    EXPECT_EQ(answers[0], answers[1]);
    EXPECT_FALSE(answers[0].empty());
  }
}

}  // namespace
}  // namespace neuopt
