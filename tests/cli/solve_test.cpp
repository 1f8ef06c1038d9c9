#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/run_program.h"
#include "cli/solve_files.h"
#include "core/file.h"
#include "io/solution_file.h"
#include "io/tsplib.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::expect_refusal;
using test::Outcome;
using test::run_program;
using test::SolveFiles;
using test::TemporaryFolder;
using Json = nlohmann::json;

TEST(Solve, LoadsInSmallUnitsAreExact) {  // the three customers of a place are one unit too many for a vehicle
  const TemporaryFolder folder;
  for (const long capacity : {2'000'000L, 10'000'000L, 1'000'000'000'000L}) {
    std::string text =
        fmt::format("NAME : grams\nTYPE : CVRP\nDIMENSION : 25\nCAPACITY : {}\nEDGE_WEIGHT_TYPE : EUC_2D\n", capacity);
    std::string places = "NODE_COORD_SECTION\n1 0 0\n", demands = "DEMAND_SECTION\n1 0\n";
    const long parts[] = {capacity / 3, capacity / 4, capacity + 1 - capacity / 3 - capacity / 4};
    constexpr int kRing[][2] = {{1000, 0},  {707, 707},   {0, 1000},  {-707, 707},
                                {-1000, 0}, {-707, -707}, {0, -1000}, {707, -707}};
    for (int i = 0; i < 24; ++i) {
      places += fmt::format("{} {} {}\n", i + 2, kRing[i / 3][0], kRing[i / 3][1]);
      demands += fmt::format("{} {}\n", i + 2, parts[i % 3]);
    }
    write_file(folder / "grams.vrp", text + places + demands + "DEPOT_SECTION\n1\n-1\nEOF\n");
    for (const char* options : {"", "--policy none", "--start random --polish 0"}) {
      const Outcome outcome = run_program("solve " + (folder / "grams.vrp") + " --steps 30 --threads 1 " + options);
      EXPECT_EQ(outcome.code, 0) << capacity << " " << options << outcome.errors;
    }
  }
}

TEST(Solve, MistakesInSmallLettersAreNamed) {
  const TemporaryFolder folder;
  write_file(folder / "small.vrp", "name : small\ntype : cvrpx\ndimension : 3\n");
  const Outcome outcome = run_program("solve " + (folder / "small.vrp"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.errors.find("small.vrp:2:"), std::string::npos) << outcome.errors;
}

TEST(Solve, TwoSignalsAtOnceAreOne) {
  const SolveFiles files(ProblemKind::cvrp, 50);
  const Outcome outcome = files.shell("sh -c '\"$@\" & sleep 0.7; kill -INT $!; sleep 0.02; kill -INT $!; wait $!' sh",
                                      "--time-limit 60 --json");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(Json::parse(outcome.output)["stopped_by"], "interrupt");
}

TEST(Solve, TheEndOfTheTerminalKeepsTheAnswer) {
  const SolveFiles files(ProblemKind::cvrp, 50);
  const std::string options = "--time-limit 60 --output " + files.path("out.sol");
  const Outcome outcome = files.shell("sh -c '\"$@\" & sleep 0.7; kill -HUP $!; wait $!' sh", options);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(run_program("verify " + files.path("instance") + " " + files.path("out.sol")).code, 0);
}

TEST(Solve, TooFewVehiclesAreNoAnswer) {
  SolveFiles files(ProblemKind::cvrp, 20);
  files.instance.vehicles = 1;
  write_file(files.path("instance"), write_instance(files.instance));
  const Outcome outcome = files.solve("--steps 5 --json --output " + files.path("out.sol"));
  EXPECT_EQ(outcome.code, 1) << outcome.errors;
  const Json answer = Json::parse(outcome.output);
  EXPECT_EQ(answer["feasible"], false);
  EXPECT_NE(answer["findings"][0].get<std::string>().find("more than there are vehicles"), std::string::npos);
  EXPECT_EQ(run_program("verify " + files.path("instance") + " " + files.path("out.sol")).code, 1);
  EXPECT_NE(files.solve("--steps 5").output.find("NOT FEASIBLE"), std::string::npos);
  const Outcome start = run_program("start " + files.path("instance") + " --output " + files.path("start.sol"));
  EXPECT_EQ(start.code, 1);
  EXPECT_NE(start.errors.find("more than there are vehicles"), std::string::npos) << start.errors;
}

TEST(Solve, RoutesAreOnALineEach) {
  const Outcome outcome = SolveFiles(ProblemKind::cvrp, 20).solve("--steps 5 --json");
  const Json answer = Json::parse(outcome.output);
  const auto lines = std::count(outcome.output.begin(), outcome.output.end(), '\n');
  EXPECT_EQ(lines, static_cast<long>(answer.size() + answer["routes"].size() + 3)) << outcome.output;
}

TEST(Solve, StartsPolishAndPolicyAreOptions) {
  const SolveFiles files(ProblemKind::cvrp, 40);
  const auto cost = [&](const std::string& options) {
    const Outcome outcome = files.solve("--steps 20 --augment 1 --json " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return Json::parse(outcome.output)["cost"].get<double>();
  };
  const double random = cost("--start random --polish 0 --restart 0");
  EXPECT_LT(cost("--start random --polish 5 --restart 0"), random);
  for (const std::string start : {"auto", "greedy", "savings"}) EXPECT_LT(cost("--start " + start), random) << start;
  const Outcome without = run_program("solve " + files.path("instance") + " --policy none --steps 200 --json");
  ASSERT_EQ(without.code, 0) << without.errors;
  const Json answer = Json::parse(without.output);
  EXPECT_EQ(answer["model"], "none");
  EXPECT_EQ(answer["policy"], "none");
  EXPECT_LT(answer["cost"].get<double>(), random);
  EXPECT_EQ(files.solve("--start nearest").code, 2);
  EXPECT_EQ(run_program("eval " + files.path("instance") + " --no-augment --stall 5 --steps 1 --runs 1").code, 2);
  const std::string solve = "solve " + files.path("instance");
  for (const std::string option : {"--model cvrp20", "--polish 5", "--precision fp32", "--stall 3", "--by-parts no",
                                   "--no-augment", "--restart 5"}) {
    const Outcome ignored = run_program(solve + " --steps 5 --policy none " + option);
    EXPECT_EQ(ignored.code, 2) << option;
    EXPECT_NE(ignored.errors.find(option.substr(0, option.find(' ')) + " has no effect with --policy none"),
              std::string::npos)
        << ignored.errors;
  }
  ASSERT_EQ(run_program(solve + " --steps 1 --output " + files.path("first.sol")).code, 0);
  EXPECT_EQ(run_program(solve + " --steps 1 --initial " + files.path("first.sol")).code, 0);
  EXPECT_EQ(run_program(solve + " --steps 1 --start random --initial " + files.path("first.sol")).code, 2);
  EXPECT_EQ(files.solve("--policy none --trace " + files.path("log.jsonl")).code, 2);
  EXPECT_EQ(SolveFiles().solve("--start savings").code, 2) << "a TSP has no depot";
}

TEST(Solve, SameSeedSameAnswerAtAnyNumberOfThreads) {
  const SolveFiles files(ProblemKind::cvrp);
  const auto solution = [&](const std::string& options) {
    EXPECT_EQ(files.solve("--steps 300 --output " + files.path("out.sol") + " " + options).code, 0);
    return read_file(files.path("out.sol"));
  };
  const std::string alone = solution("--threads 1");
  EXPECT_EQ(solution("--threads 3"), alone);
  EXPECT_EQ(solution("--batch 3"), alone);
  const auto steps = [&](const std::string& options) {
    EXPECT_EQ(files.solve("--steps 20 --trace " + files.path("steps.jsonl") + " " + options).code, 0);
    const std::string trace = read_file(files.path("steps.jsonl"));
    const std::size_t first = trace.find('\n');  // the header names the seed, the result tells the time
    return trace.substr(first, trace.find("{\"type\":\"result\"") - first);
  };
  EXPECT_EQ(steps("--seed 1"), steps("--seed 1"));
  EXPECT_NE(steps("--seed 1"), steps("--seed 2"));
}

TEST(Solve, NeverEndsWorseThanItsInitialSolution) {
  const SolveFiles files(ProblemKind::tsp, 50);
  ASSERT_EQ(run_program("start " + files.path("instance") + " --output " + files.path("a.tour")).code, 0);
  const Outcome outcome = files.solve("--steps 5 --json --initial " + files.path("a.tour"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const SolutionFile initial = read_solution_file(files.path("a.tour"), files.instance);
  EXPECT_LE(Json::parse(outcome.output)["cost"], *initial.cost + 1e-9);
}

TEST(Solve, KeepsItsTimeLimit) {
  const SolveFiles files(ProblemKind::tsp, 100);
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = files.solve("--time-limit 0.6 --json");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const Json answer = Json::parse(outcome.output);
  EXPECT_EQ(answer["stopped_by"], "time");
  EXPECT_LT(seconds, 3.0);  // generous: the machine may be busy with something else
}

TEST(Solve, ASignalWritesTheBestSoFar) {
  for (const std::string signal : {"INT", "TERM"}) {
    const SolveFiles files(ProblemKind::cvrp, 20);
    const Outcome outcome = files.shell("timeout -s " + signal + " --preserve-status 1",
                                        "--steps 100000000 --json --output " + files.path("out.sol"));
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(Json::parse(outcome.output)["stopped_by"], "interrupt");
    EXPECT_EQ(run_program("verify " + files.path("instance") + " " + files.path("out.sol")).code, 0);
  }
}

/// There is no solution yet that it could write.
TEST(Solve, ASignalEndsTheWaitForInput) {
  const SolveFiles files;
  const std::string pipe = files.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string as_initial = files.path("instance") + " --model " + files.path("model") + " --initial " + pipe;
  for (const std::string& command : {"solve " + pipe, "solve " + as_initial, "eval " + pipe, "view " + pipe})
    for (const auto& [signal, code] : {std::pair("INT", 128 + SIGINT), std::pair("TERM", 128 + SIGTERM)}) {
      const std::string launcher =
          fmt::format("timeout -s {0} -k 5 --preserve-status 0.5 env --default-signal={0}", signal);
      const Outcome outcome = run_program(command, launcher);
      EXPECT_EQ(outcome.code, code) << command << outcome.errors;
    }
}

TEST(Solve, CopiesThatDoNotFitWaitOrAreRefused) {
  const SolveFiles files(ProblemKind::cvrp);
  const std::string copies = " --augment 40 --output ";
  ASSERT_EQ(files.solve("--steps 20" + copies + files.path("at-once")).code, 0);
  ASSERT_EQ(files.solve("--steps 20 --memory-limit 100k" + copies + files.path("in-turns")).code, 0);
  EXPECT_EQ(read_file(files.path("at-once")), read_file(files.path("in-turns")));
  const Outcome refused = files.solve("--time-limit 5 --memory-limit 100k" + copies + files.path("refused"));
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.errors.find("40 copies of "), std::string::npos) << refused.errors;
  EXPECT_NE(refused.errors.find(" of memory, 0.1 MB are allowed"), std::string::npos) << refused.errors;
  const Outcome traced =
      files.solve("--steps 20 --memory-limit 100k --trace " + files.path("trace") + copies + files.path("x"));
  EXPECT_EQ(traced.code, 3);
  EXPECT_NE(traced.errors.find("keep no trace"), std::string::npos) << traced.errors;
  const Outcome too_little = files.solve("--steps 20 --memory-limit 1" + copies + files.path("x"));
  EXPECT_EQ(too_little.code, 3);
  EXPECT_NE(too_little.errors.find("one copy of "), std::string::npos) << too_little.errors;
}

TEST(Solve, ReportsProgressWhenAsked) {
  const SolveFiles files;
  EXPECT_EQ(files.solve("--steps 10").errors, "");
  EXPECT_NE(files.solve("--steps 10 --verbose").errors.find("step 10/10"), std::string::npos);
  EXPECT_EQ(files.solve("--steps 10 --verbose --quiet").errors, "");
}

TEST(Solve, TinyInstancesAreSolvedExactlyWithoutAModel) {
  const SolveFiles files(ProblemKind::cvrp, 3);
  const Outcome outcome = run_program("solve " + files.path("instance") + " --json");
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(Json::parse(outcome.output)["stopped_by"], "exact");
}

TEST(Solve, SaysWhyAFileIsNoSolutionToStartFrom) {
  const SolveFiles files;
  const std::string tour = files.path("wrong.tour"), routes = files.path("wrong.sol");
  const int size = files.instance.size;
  const auto tour_of = [](const std::vector<int>& nodes) {
    return fmt::format("TYPE : TOUR\nDIMENSION : {}\nTOUR_SECTION\n{}\n-1\nEOF\n", nodes.size(),
                       fmt::join(nodes, "\n"));
  };
  std::vector<int> nodes(static_cast<std::size_t>(size));
  std::iota(nodes.begin(), nodes.end(), 1);
  nodes.back() = 7;
  write_file(tour, tour_of(nodes));
  expect_refusal(files.solve("--initial " + tour), 2, tour + ": node 7 visited twice");
  nodes.back() = size;
  write_file(routes, fmt::format("Route #1: {}\nRoute #2: {}\n", fmt::join(nodes.begin(), nodes.begin() + 5, " "),
                                 fmt::join(nodes.begin() + 5, nodes.end(), " ")));
  expect_refusal(files.solve("--initial " + routes), 2, routes + ": 2 routes, expected one tour");
}

TEST(Solve, ATinyInstanceNeedsNoModelButOneThatIsNamedMustFit) {
  const SolveFiles files(ProblemKind::tsp, 5), other(ProblemKind::cvrp);
  const std::string solve = "solve " + files.path("instance") + " --model ";
  EXPECT_EQ(run_program(solve + files.path("model")).code, 0);
  expect_refusal(run_program(solve + "nosuch"), 2, "nosuch");
  expect_refusal(run_program(solve + other.path("model")), 2, "CVRP");
}

TEST(Solve, SaysWhatIsWrong) {
  const SolveFiles files;
  const std::string instance = files.path("instance"), model = files.path("model");
  expect_refusal(run_program("solve nowhere.tsp"), 2, "nowhere.tsp");
  expect_refusal(run_program("solve " + model + " --model " + model), 2, model);
  expect_refusal(run_program("solve " + instance + " --model " + instance), 2, instance);
  expect_refusal(run_program("solve " + instance + " --model tsp99x"), 2, "tsp99x");
  expect_refusal(files.solve("--steps -1"), 2, "--steps");
  expect_refusal(files.solve("--augment 0"), 2, "--augment");
  expect_refusal(files.solve("--time-limit 0"), 2, "--time-limit");
  expect_refusal(files.solve("--precision decimal"), 2, "decimal");
  expect_refusal(files.solve("--initial " + instance), 2, instance);
  for (const std::string option : {"--output /no-such-folder/x.sol", "--svg /no-such-folder/x.svg",
                                   "--trace /no-such-folder/x"})  // before the search, which would take days
    expect_refusal(files.solve("--steps 1000000000 " + option), 3, "/no-such-folder/x");
  for (const std::string name : {"x.svg", "x.PNG", "x.vrp", "x.npz", "x.json"})
    expect_refusal(files.solve("--steps 1000000000 --output " + files.path(name)), 2, "expected .sol or .tour");
  expect_refusal(files.solve("--steps 1000000000 --svg " + files.path("x.gif")), 2, ".svg or .png");

  const SolveFiles other(ProblemKind::cvrp);
  expect_refusal(run_program("solve " + instance + " --model " + other.path("model")), 2, "CVRP");
}

}  // namespace
}  // namespace neuopt
