#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/test_set.h"
#include "problem/generate.h"
#include "support/random_model.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::Outcome;
using test::run_program;
using test::TemporaryFolder;
using Json = nlohmann::json;

/// A folder with a set of five instances and a small random model.
struct EvalFiles {
  TemporaryFolder folder;

  explicit EvalFiles(ProblemKind kind, bool with_costs = true) {
    std::vector<Instance> set;
    for (std::uint64_t index = 0; index < 5; ++index) {
      set.push_back(generate_uniform(kind, 20, 1, index));
      if (with_costs) set.back().reference_cost = 2.0;
    }
    write_test_set(folder / "set.npz", set);
    policy::save_model(folder / "model", test::random_model(test::small_architecture(kind)));
  }

  Outcome eval(const std::string& options) const {
    return run_program("eval " + (folder / "set.npz") + " --model " + (folder / "model") + " " + options);
  }
};

TEST(Eval, WhatHasNoCostHasNone) {
  const EvalFiles files(ProblemKind::cvrp);
  const Outcome text = files.eval("--steps 2 --vehicles 1 --curve 1,2");
  EXPECT_NE(text.output.find("step       1  mean cost -  gap -"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("mean cost -, gap -"), std::string::npos) << text.output;
  const Json json = Json::parse(files.eval("--steps 2 --vehicles 1 --curve 1,2 --json").output);
  EXPECT_TRUE(json.at("mean_cost").is_null());
  EXPECT_TRUE(json.at("curve").at(0).at("mean_cost").is_null());
}

TEST(Eval, OptionsWithListsLeaveTheFilesAlone) {
  const EvalFiles files(ProblemKind::tsp);
  const Outcome outcome = run_program("eval --steps 2 --model " + (files.folder / "model") +
                                      " --label a=1 --curve 1,2 " + (files.folder / "set.npz"));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
}

TEST(Eval, HelpStatesItsOwnDefaults) {
  const std::string help = run_program("eval --help").output;
  EXPECT_NE(help.find("0: never [0]"), std::string::npos) << help;
  EXPECT_NE(help.find("yes or no [no]"), std::string::npos) << help;
  EXPECT_NE(run_program("solve --help").output.find("yes or no [auto]"), std::string::npos);
}

TEST(Eval, JsonHasTheFields) {
  for (const ProblemKind kind : kProblemKinds) {
    const EvalFiles files(kind);
    const Outcome outcome = files.eval("--steps 20 --augment 2 --seed 3 --json --curve 5,10");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const Json answer = Json::parse(outcome.output);
    EXPECT_EQ(answer["problem"], problem_name(kind));
    EXPECT_EQ(answer["size"], 20);
    EXPECT_EQ(answer["instances"], 5);
    EXPECT_EQ(answer["steps"], 20);
    EXPECT_EQ(answer["augment"], 2);
    EXPECT_EQ(answer["infeasible"], 0);
    EXPECT_EQ(answer["seed"], 3);
    EXPECT_DOUBLE_EQ(answer["reference_cost"], 2.0);
    EXPECT_NEAR(answer["gap_percent"], 100 * (answer["mean_cost"].get<double>() / 2 - 1), 1e-6);
    EXPECT_GT(answer["instance_steps_per_second"], 0);
    EXPECT_GT(answer["seconds"], 0);
    EXPECT_TRUE(answer.contains("device"));
    EXPECT_TRUE(answer.contains("model"));
    ASSERT_EQ(answer["curve"].size(), 3u);
    EXPECT_EQ(answer["curve"][1]["step"], 10);
  }
}

TEST(Eval, RunsOnOneInstanceAreIndependent) {
  const EvalFiles files(ProblemKind::cvrp);
  ASSERT_EQ(run_program("generate cvrp --size 20 --seed 8 --output " + (files.folder / "one.vrp")).code, 0);
  const std::string eval =
      "eval " + (files.folder / "one.vrp") + " --model " + (files.folder / "model") + " --steps 20";
  const Outcome outcome =
      run_program(eval + " --runs 4 --reference 3 --json --label machine=a=b --label commit= " + "--output " +
                  (files.folder / "runs.jsonl"));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const Json answer = Json::parse(outcome.output);
  EXPECT_EQ(answer["file"], "one.vrp");
  EXPECT_EQ(answer["instances"], 1);
  EXPECT_EQ(answer["runs"], 4);
  EXPECT_EQ(answer["labels"]["machine"], "a=b");
  EXPECT_EQ(answer["labels"]["commit"], "");
  EXPECT_EQ(answer["model_checksum"], policy::load_model(files.folder / "model").checksum);
  std::istringstream lines(read_file(files.folder / "runs.jsonl"));
  std::set<double> costs;
  double sum = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json run = Json::parse(line);
    sum += run["cost"].get<double>();
    costs.insert(run["cost"].get<double>());
    EXPECT_NEAR(run["gap_percent"], 100 * (run["cost"].get<double>() / 3 - 1), 1e-9);
  }
  EXPECT_GT(costs.size(), 1u);
  EXPECT_NEAR(answer["mean_cost"], sum / 4, 1e-9);
  EXPECT_EQ(answer["best_cost"], *costs.begin());
  EXPECT_NEAR(answer["best_gap_percent"], 100 * (*costs.begin() / 3 - 1), 1e-9);
  EXPECT_EQ(Json::parse(run_program(eval + " --json").output)["runs"], 10);
  EXPECT_EQ(run_program(eval + " --limit 3").code, 2);
}

TEST(Eval, TakesFoldersAndSeveralFiles) {
  const EvalFiles files(ProblemKind::cvrp);
  std::string paths;
  for (const std::string size : {"12", "15"}) {
    const std::string path = files.folder / (size + ".vrp");
    ASSERT_EQ(run_program("generate cvrp --size " + size + " --output " + path).code, 0);
    paths += path + " ";
  }
  const std::string options = " --model " + (files.folder / "model") + " --steps 5 --json";
  const Json answer = Json::parse(run_program("eval " + files.folder.path() + options).output);
  EXPECT_EQ(answer["instances"], 2);
  EXPECT_EQ(answer["size"], 12);
  EXPECT_EQ(answer["largest_size"], 15);
  EXPECT_EQ(Json::parse(run_program("eval " + paths + options).output)["mean_cost"], answer["mean_cost"]);
}

TEST(Eval, WithoutReferencesTheGapIsNull) {
  const Json answer = Json::parse(EvalFiles(ProblemKind::tsp, false).eval("--steps 2 --json").output);
  EXPECT_TRUE(answer["gap_percent"].is_null());
  EXPECT_TRUE(answer["reference_cost"].is_null());
}

TEST(Eval, SameSeedSameCostsHoweverTheWorkIsSplit) {
  const EvalFiles files(ProblemKind::cvrp);
  const auto lines = [&](const std::string& options) {
    EXPECT_EQ(files.eval("--steps 20 --output " + (files.folder / "out.jsonl") + " " + options).code, 0);
    return read_file(files.folder / "out.jsonl");
  };
  const std::string all = lines("--threads 1");
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 5);
  EXPECT_EQ(lines("--threads 3 --batch 2"), all);
  EXPECT_TRUE(all.starts_with(lines("--limit 2")));
  EXPECT_NE(lines("--seed 9"), all);
  EXPECT_NE(lines("--no-augment"), all);
}

TEST(Eval, SaysWhatIsWrong) {
  const EvalFiles files(ProblemKind::tsp);
  for (const char* options :
       {"--steps -1", "--augment 0", "--curve 100 --steps 50", "--curve x", "--curve 5 --by-parts yes", "--limit 0",
        "--device abacus", "--precision decimal", "--runs 2", "--reference 7", "--label x", "--label =x"}) {
    const Outcome outcome = files.eval(options);
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_EQ(outcome.output, "") << options;
    EXPECT_TRUE(outcome.errors.starts_with("neuopt: ")) << outcome.errors;
  }
  EXPECT_EQ(run_program("eval nowhere.npz").code, 2);
  const Outcome nowhere = files.eval("--steps 1000000000 --output /no-such-folder/x");  // before the search
  EXPECT_EQ(nowhere.code, 3);
  EXPECT_EQ(nowhere.output, "");
}

TEST(Eval, PrintsItsMeansWhenTheFileCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const Outcome outcome = EvalFiles(ProblemKind::tsp).eval("--steps 2 --json --output /dev/full");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Json::parse(outcome.output).contains("mean_cost"));
}

}  // namespace
}  // namespace neuopt
