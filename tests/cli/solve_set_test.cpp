#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/solution_file.h"
#include "io/test_set.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "problem/verify.h"
#include "support/random_model.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::Outcome;
using test::run_program;
using test::TemporaryFolder;
using Json = nlohmann::json;

/// A folder with a set of instances and a small random model.
struct SetFiles {
  TemporaryFolder folder;
  std::vector<Instance> set;

  explicit SetFiles(ProblemKind kind, int count = 5, int size = 15) {
    for (std::uint64_t index = 0; index < static_cast<std::uint64_t>(count); ++index) {
      set.push_back(generate_uniform(kind, size, 1, index));
      set.back().reference_cost = 2.0;
    }
    write_test_set(path("set.npz"), set);
    policy::save_model(path("model"), test::random_model(test::small_architecture(kind)));
  }

  std::string path(const std::string& name) const { return folder / name; }
  Outcome solve(const std::string& arguments, const std::string& launcher = "") const {
    return run_program("solve --model " + path("model") + " " + arguments, launcher);
  }
  std::vector<Json> lines(const std::string& name = "out.jsonl") const {
    std::istringstream in(read_file(path(name)));
    std::vector<Json> list;
    for (std::string line; std::getline(in, line);) list.push_back(Json::parse(line));
    return list;
  }
};

Solution solution_of(const Json& line, ProblemKind kind) {
  if (traits(kind).depots) return {line["routes"].get<std::vector<std::vector<int>>>()};
  std::vector<int> tour = line["tour"];
  for (int& node : tour) --node;
  return {{tour}};
}

TEST(SolveSet, LeavesAFileBesideItsOwnAlone) {
  const SetFiles files(ProblemKind::tsp);
  write_file(files.path("out.jsonl.run"), R"({"mine": 1})");  // a run under mpirun has one of that name
  EXPECT_EQ(files.solve("--steps 2 --output " + files.path("out.jsonl") + " " + files.path("set.npz")).code, 0);
  EXPECT_EQ(read_file(files.path("out.jsonl.run")), R"({"mine": 1})");
  write_file(files.path("out.jsonl.run"), "my notes\n");
  EXPECT_EQ(files.solve("--steps 2 --output " + files.path("out.jsonl") + " " + files.path("set.npz")).code, 0);
  EXPECT_EQ(read_file(files.path("out.jsonl.run")), "my notes\n");
}

TEST(SolveSet, WritesALineForEachInstanceInOrder) {
  for (const ProblemKind kind : kProblemKinds) {
    const SetFiles files(kind);
    const std::string output = " --output " + files.path("out.jsonl");
    const Outcome outcome = files.solve(files.path("set.npz") + " --steps 10 --json" + output);
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const Json summary = Json::parse(outcome.output);
    EXPECT_EQ(summary["instances"], 5);
    EXPECT_EQ(summary["augment"], 8);
    EXPECT_EQ(summary["interrupted"], false);
    const std::vector<Json> lines = files.lines();
    ASSERT_EQ(lines.size(), 5u);
    double mean = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(lines[i]["instance"], i);
      EXPECT_EQ(lines[i]["name"], "set#" + std::to_string(i));
      const Verdict verdict = verify(files.set[i], solution_of(lines[i], kind));
      EXPECT_TRUE(verdict.feasible && lines[i]["feasible"]);
      EXPECT_NEAR(verdict.cost, lines[i]["cost"], 1e-6);
      EXPECT_EQ(lines[i]["reference_cost"], 2);
      EXPECT_NEAR(lines[i]["gap_percent"], 100 * (lines[i]["cost"].get<double>() / 2 - 1), 1e-9);
      mean += lines[i]["cost"].get<double>() / 5;
    }
    EXPECT_NEAR(summary["mean_cost"], mean, 1e-9);
  }
}

TEST(SolveSet, SameSeedSameLinesHoweverTheWorkIsSplit) {
  const SetFiles files(ProblemKind::cvrp);
  const auto lines = [&](const std::string& options) {
    EXPECT_EQ(files.solve(files.path("set.npz") + " --steps 20 --output " + files.path("out.jsonl") + options).code, 0);
    return read_file(files.path("out.jsonl"));
  };
  const std::string all = lines("");
  EXPECT_EQ(lines(" --threads 1 --batch 3"), all);
  EXPECT_TRUE(all.starts_with(lines(" --limit 2")));
  EXPECT_EQ(files.solve(files.path("set.npz") + " --steps 20 --quiet").output, all) << "without --output";
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 5);
}

TEST(SolveSet, TakesAFolderOrSeveralFilesOfAnySize) {
  const SetFiles files(ProblemKind::tsp);
  std::filesystem::create_directory(files.path("in"));
  std::string paths;
  const std::vector<int> sizes = {30, 5, 12};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string path = files.path("in/" + std::to_string(i) + ".tsp");
    write_file(path, write_instance(generate_uniform(ProblemKind::tsp, sizes[i], 1, 0)));
    paths += path + " ";
  }
  const std::string output = " --steps 5 --output " + files.path("out.jsonl");
  ASSERT_EQ(files.solve(files.path("in") + output).code, 0);
  const std::string from_folder = read_file(files.path("out.jsonl"));
  ASSERT_EQ(files.solve(paths + output).code, 0);
  EXPECT_EQ(read_file(files.path("out.jsonl")), from_folder);
  const std::vector<Json> lines = files.lines();
  ASSERT_EQ(lines.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(lines[i]["tour"].size(), sizes[i]);
    EXPECT_FALSE(lines[i].contains("gap_percent"));
  }
}

TEST(SolveSet, WritesAFileForEachInstanceIntoAFolder) {
  for (const ProblemKind kind : kProblemKinds) {
    const SetFiles files(kind);
    const std::string ending = traits(kind).solution_ending;
    for (const std::string folder : {"new/", "new"}) {  // the second time it is there
      ASSERT_EQ(files.solve(files.path("set.npz") + " --steps 5 --output " + files.path(folder)).code, 0);
      for (std::size_t i = 0; i < 5; ++i) {
        const std::string path = files.path("new/set-" + std::to_string(i) + ending);
        const SolutionFile file = read_solution_file(path, files.set[i]);
        EXPECT_TRUE(verify(files.set[i], file.solution).feasible);
      }
    }
  }
}

TEST(SolveSet, NamesInAFolderAreUniqueAndHarmless) {
  const SetFiles files(ProblemKind::tsp);
  std::string paths;
  for (const std::string file : {"a.tsp", "b.tsp"}) {
    Instance instance = generate_uniform(ProblemKind::tsp, 5, 1, 0);
    instance.name = "../same/name";
    write_file(files.path(file), write_instance(instance));
    paths += files.path(file) + " ";
  }
  ASSERT_EQ(files.solve(paths + "--output " + files.path("out/")).code, 0);
  EXPECT_TRUE(std::filesystem::exists(files.path("out/same-name.tour")));
  EXPECT_TRUE(std::filesystem::exists(files.path("out/same-name-2.tour")));
}

TEST(SolveSet, ATimeLimitIsForTheWholeSet) {
  const SetFiles files(ProblemKind::tsp, 20, 50);
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = files.solve(files.path("set.npz") + " --time-limit 1 --output " + files.path("out.jsonl"));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_LT(seconds, 3.5);  // generous: the machine may be busy with something else
  EXPECT_EQ(files.lines().size(), 20u);
}

TEST(SolveSet, ASignalKeepsWhatIsDone) {
  const SetFiles files(ProblemKind::tsp, 400, 30);
  const Outcome outcome =
      files.solve(files.path("set.npz") + " --steps 2000 --batch 8 --json --output " + files.path("out.jsonl"),
                  "timeout -s INT --preserve-status 1");
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const Json summary = Json::parse(outcome.output);
  EXPECT_EQ(summary["interrupted"], true);
  const std::vector<Json> lines = files.lines();
  ASSERT_FALSE(lines.empty());
  EXPECT_LT(lines.size(), 400u);
  EXPECT_EQ(summary["instances"], lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_TRUE(
        verify(files.set[lines[i]["instance"].get<std::size_t>()], solution_of(lines[i], ProblemKind::tsp)).feasible);
  for (const auto& entry : std::filesystem::directory_iterator(files.folder.path()))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

/// In front of the program: its files may have so many bytes, half a line or a few, and more do not fit.
constexpr const char* kLittleRoom = "ulimit -f 4;";  // blocks of 512 or 1024 bytes, as the shell counts

TEST(SolveSet, AFullDiskKeepsTheLinesThatFit) {
  const SetFiles files(ProblemKind::tsp, 100);
  const Outcome outcome = files.solve(
      files.path("set.npz") + " --steps 2 --batch 8 --json --output " + files.path("out.jsonl"), kLittleRoom);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.errors.find("out.jsonl: cannot write: "), std::string::npos) << outcome.errors;
  const std::vector<Json> lines = files.lines();  // all whole
  ASSERT_FALSE(lines.empty());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["instance"], i);
  const Json summary = Json::parse(outcome.output);
  EXPECT_EQ(summary["interrupted"], true);
  EXPECT_GE(summary["instances"], lines.size());
  EXPECT_LT(summary["instances"], 100) << "the search went on for nothing";
}

TEST(SolveSet, AFullDeviceDoesNotTakeTheSummary) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const SetFiles files(ProblemKind::cvrp);
  const Outcome outcome = files.solve(files.path("set.npz") + " --steps 2 --batch 8 --output /dev/full");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.errors.find("/dev/full: cannot write"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.output.find("mean cost"), std::string::npos) << outcome.output;
}

TEST(SolveSet, ASolutionWithoutRoomLeavesOtherFilesAsTheyWere) {
  const SetFiles files(ProblemKind::tsp);
  std::string paths;
  for (const int size : {1500, 12}) {  // the second is solved first
    Instance instance = generate_uniform(ProblemKind::tsp, size, 1, 0);
    instance.name = "n" + std::to_string(size);
    paths += files.path(instance.name + ".tsp") + " ";
    write_file(files.path(instance.name + ".tsp"), write_instance(instance));
  }
  write_file(files.path("out.jsonl"), "older");
  for (const std::string output : {"out.jsonl", "out/"}) {
    const Outcome outcome =
        files.solve(paths + "--steps 1 --augment 1 --start curve --output " + files.path(output), kLittleRoom);
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.errors.find("cannot write: "), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.output.find("mean cost"), std::string::npos) << outcome.output;
  }
  EXPECT_EQ(read_file(files.path("out.jsonl")), "older") << "no line was written";
  EXPECT_TRUE(std::filesystem::exists(files.path("out/n12.tour")));
  EXPECT_FALSE(std::filesystem::exists(files.path("out/n1500.tour")));
}

TEST(SolveSet, WhatWasSolvedBeforeAFailureIsKept) {
  const SetFiles files(ProblemKind::tsp);
  for (const int nodes : {20, 180})
    write_file(files.path("n" + std::to_string(nodes) + ".tsp"),
               write_instance(generate_uniform(ProblemKind::tsp, nodes, 1, 0)));
  const Outcome outcome = run_program("solve " + files.path("n20.tsp") + " " + files.path("n180.tsp") +
                                      " --memory-limit 150K --steps 3 --output " + files.path("out.jsonl"));
  EXPECT_EQ(outcome.code, 3) << outcome.output;
  const std::string lines = read_file(files.path("out.jsonl"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
}

TEST(SolveSet, TinyInstancesNameNoModel) {
  const SetFiles files(ProblemKind::tsp, 2, 5);
  const Outcome outcome = run_program("solve " + files.path("set.npz") + " --output " + files.path("lines"));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output.find("model"), std::string::npos) << outcome.output;
}

TEST(SolveSet, SaysWhatIsWrong) {
  const SetFiles files(ProblemKind::tsp);
  const auto refused = [](const Outcome& outcome, int code, const std::string& words) {
    EXPECT_EQ(outcome.code, code) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
  };
  const std::string set = files.path("set.npz") + " --steps 1000000000 ";  // nothing may be searched
  const std::string output = " --output " + files.path("out.jsonl");
  for (const std::string option : {"--initial x", "--svg x.svg", "--trace x", "--target 3", "--reference 3"})
    refused(files.solve(set + option + output), 2, option.substr(0, option.find(' ')));
  refused(files.solve(set + "--json"), 2, "--output");
  refused(files.solve(set + "--output /no-such-folder/x.jsonl"), 3, "/no-such-folder/x.jsonl");
  for (const char* name : {"x.SVG", "x.npz", "x.sol"})
    refused(files.solve(set + "--output " + files.path(name)), 2, "expected a file of lines");
  refused(files.solve(set + "--output /no-such-folder/x/"), 3, "/no-such-folder/x");
  const SetFiles other(ProblemKind::cvrp);
  refused(files.solve(set + other.path("set.npz") + output), 2, other.path("set.npz"));
  refused(other.solve(set + output), 2, "CVRP");
  write_file(files.path("one.tsp"), write_instance(files.set[0]));
  refused(files.solve(files.path("one.tsp") + " --limit 2"), 2, "--limit");
  EXPECT_FALSE(std::filesystem::exists(files.path("out.jsonl")));
}

}  // namespace
}  // namespace neuopt
