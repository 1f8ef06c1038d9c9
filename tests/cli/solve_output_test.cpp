// Where the answers of solve go: files, standard output, logs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_program.h"
#include "cli/solve_files.h"
#include "core/file.h"
#include "io/search_log.h"
#include "io/solution_file.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

using test::expect_refusal;
using test::Outcome;
using test::run_program;
using test::SolveFiles;
using Json = nlohmann::json;

TEST(Solve, JsonSharesStandardOutputWithNothing) {
  for (const char* option : {"--trace", "--svg", "--output"})
    for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
      expect_refusal(run_program(fmt::format("solve x.vrp --json {} {}", option, name)), 2,
                     fmt::format("name a file with {}", option));
  expect_refusal(run_program("eval x.vrp --json --output /dev/fd/1"), 2, "name a file with --output");
}

TEST(Solve, FilesShareStandardOutputWithNothing) {
  for (const char* options : {"--output - --trace -", "--svg /dev/stdout --trace -", "--output - --svg /dev/fd/1"}) {
    const Outcome outcome = run_program(fmt::format("solve x.vrp {}", options));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.errors.find("would share standard output"), std::string::npos) << outcome.errors;
  }
  const SolveFiles files(ProblemKind::cvrp);
  const Outcome picture = files.solve("--steps 3 --svg -");
  EXPECT_EQ(picture.code, 0) << picture.errors;
  EXPECT_TRUE(picture.output.starts_with("<svg") && picture.output.ends_with("</svg>\n")) << picture.output;
  EXPECT_NE(picture.errors.find("Route #1"), std::string::npos) << picture.errors;
}

TEST(Solve, ATraceOnStandardOutputIsAloneThere) {
  const SolveFiles files(ProblemKind::cvrp);
  for (const std::string output : {"-", "/dev/stdout", "/proc/self/fd/1"}) {
    const Outcome outcome = files.solve("--steps 15 --augment 2 --trace " + output);
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    std::istringstream in(outcome.output);
    std::vector<std::string> types;
    for (std::string line; std::getline(in, line);) types.push_back(Json::parse(line)["type"]);
    ASSERT_EQ(types.size(), 1u + 2 * 15 + 1);
    EXPECT_EQ(types.front(), "header");
    EXPECT_EQ(types.back(), "result");
    EXPECT_NE(outcome.errors.find(", verified"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("Route #1"), std::string::npos) << "the solution is nowhere else";
  }
  const Outcome filed = files.solve("--steps 3 --trace - --output " + files.path("x.sol"));
  EXPECT_EQ(filed.errors.find("Route #1"), std::string::npos) << filed.errors;
  EXPECT_EQ(files.solve("--steps 3 --quiet --trace -").errors, "");
  const Outcome full = files.solve("--steps 3 --quiet --trace - --output /dev/full");
  EXPECT_EQ(full.code, 3);
  EXPECT_NE(full.errors.find("Route #1"), std::string::npos) << "it would be lost";
}

TEST(Solve, JsonHasTheFieldsAndNothingElse) {
  for (const ProblemKind kind : kProblemKinds) {
    const SolveFiles files(kind);
    const Outcome outcome = files.solve("--steps 20 --augment 3 --seed 5 --json");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const Json answer = Json::parse(outcome.output);
    EXPECT_EQ(answer["feasible"], true);
    EXPECT_EQ(answer["steps"], 20);
    EXPECT_EQ(answer["augment"], 3);
    EXPECT_EQ(answer["seed"], 5);
    EXPECT_EQ(answer["model"], files.path("model"));
    EXPECT_TRUE(answer["device"].get<std::string>().starts_with("cpu"));
    EXPECT_GT(answer["seconds"], 0);
    std::vector<std::vector<int>> routes;
    if (kind == ProblemKind::tsp)
      routes.push_back(answer["tour"]);
    else
      routes = answer["routes"];
    Solution solution{routes};
    for (auto& route : solution.routes)
      for (int& node : route) node -= kind == ProblemKind::tsp ? 1 : 0;
    const Verdict verdict = verify(files.instance, solution);
    EXPECT_TRUE(verdict.feasible);
    EXPECT_NEAR(verdict.cost, answer["cost"], 1e-6);
  }
}

TEST(Solve, AMissingConverterIsSaidBeforeTheSearch) {
  const SolveFiles files(ProblemKind::cvrp, 50);
  const Outcome outcome =
      files.shell("timeout 20 env PATH=" + files.folder.path(), "--time-limit 60 --svg " + files.path("out.png"));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.errors.find("librsvg2-bin"), std::string::npos) << outcome.errors;
}

TEST(Solve, DashIsStandardOutput) {
  const SolveFiles files(ProblemKind::cvrp, 20);
  const Outcome outcome = files.solve("--steps 5 --output -");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(outcome.output.starts_with("Route #1:")) << outcome.output;
  EXPECT_NE(outcome.errors.find("verified"), std::string::npos) << "the summary goes elsewhere";
  EXPECT_EQ(parse_solution(outcome.output, "-", files.instance).solution.routes.empty(), false);
  EXPECT_EQ(files.solve("--steps 5 --output - --json").code, 2);
  EXPECT_FALSE(std::filesystem::exists("-"));
  EXPECT_TRUE(run_program("draw " + files.path("instance") + " --output -").output.starts_with("<svg "));
  EXPECT_TRUE(run_program("start " + files.path("instance") + " --output -").output.starts_with("Route #1:"));
}

TEST(Solve, ToursInALogNeedALog) {
  const Outcome outcome = SolveFiles().solve("--steps 5 --trace-tours");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.errors.find("--trace"), std::string::npos) << outcome.errors;
}

TEST(Solve, WritesSolutionAndPicture) {
  const SolveFiles files(ProblemKind::cvrp);
  const Outcome outcome =
      files.solve("--steps 10 --output " + files.path("out.sol") + " --svg " + files.path("out.svg"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_NE(outcome.output.find("verified"), std::string::npos);
  EXPECT_EQ(run_program("verify " + files.path("instance") + " " + files.path("out.sol")).code, 0);
  EXPECT_NE(read_file(files.path("out.svg")).find("<svg"), std::string::npos);
}

TEST(Solve, TraceIsJsonLinesThatEndAtTheAnswer) {
  const SolveFiles files(ProblemKind::cvrp);
  const Outcome outcome =
      files.solve("--steps 15 --augment 2 --json --trace-tours --trace " + files.path("trace.jsonl"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  std::istringstream in(read_file(files.path("trace.jsonl")));
  std::vector<Json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  ASSERT_EQ(lines.size(), 1u + 15 * 2 + 1);
  EXPECT_EQ(lines.front()["type"], "header");
  double best = lines.front()["start"][0]["cost"];
  for (const Json& line : lines)
    if (line["type"] == "step") best = std::min(best, line["best"].get<double>());
  EXPECT_NEAR(best, Json::parse(outcome.output)["cost"], 1e-5);
  EXPECT_EQ(lines.back()["cost"], Json::parse(outcome.output)["cost"]);
}

TEST(Solve, AnAnswerIsPrintedWhenItsFileCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const SolveFiles files(ProblemKind::cvrp);
  for (const std::string option : {"--output", "--trace"}) {
    const Outcome outcome = files.solve("--steps 3 " + option + " /dev/full");
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.errors.find("/dev/full: cannot write"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.output.find("Route #1"), std::string::npos) << outcome.output;
    const Outcome json = files.solve("--steps 3 --json " + option + " /dev/full");
    EXPECT_EQ(json.code, 3);
    EXPECT_FALSE(Json::parse(json.output)["routes"].empty());
  }
}

TEST(Solve, WorksWithoutStandardError) {
  const SolveFiles files;
  for (const std::string where : {"/dev/full", "&-"}) {
    const std::string redirect = where == "&-" ? "2>&-" : "2>/dev/full";
    const std::string inner = "sh -c '\"$0\" \"$@\" " + redirect + "'";
    EXPECT_EQ(files.shell(inner, "--steps 10 --verbose --output " + files.path("quiet.tour")).code, 0) << where;
    EXPECT_EQ(run_program("verify " + files.path("instance") + " " + files.path("quiet.tour")).code, 0) << where;
    EXPECT_EQ(run_program("solve nowhere.tsp", inner).code, 2) << where;
  }
}

TEST(Solve, ATraceOfATinyInstanceHasItsHeader) {
  const SolveFiles files(ProblemKind::cvrp, 3);
  const std::string trace = files.path("trace.jsonl");
  ASSERT_EQ(run_program("solve " + files.path("instance") + " --augment 4 --trace " + trace).code, 0);
  const SearchLog read = read_search_log(trace);
  EXPECT_EQ(read.customers, 3);
  ASSERT_EQ(read.start_cost.size(), 1u);
}

TEST(Solve, ARefusedSearchLeavesNoTrace) {
  const SolveFiles files;
  const std::string trace = files.path("steps.jsonl"), wrong = files.path("wrong.tour");
  write_file(wrong, "TOUR_SECTION\n1\n2\n-1\n");
  EXPECT_EQ(files.solve("--trace " + trace + " --by-parts yes").code, 2);
  EXPECT_EQ(files.solve("--trace " + trace + " --initial " + wrong).code, 2);
  EXPECT_FALSE(std::filesystem::exists(trace));
}

}  // namespace
}  // namespace neuopt
