// neuopt check, info and import.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/npz.h"
#include "search/bundled_models.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::Outcome;
using test::run_program;
using test::TemporaryFolder;

const std::string kTsp = NEUOPT_TEST_DATA "/golden/tsp20_d32.npz";
const std::string kCvrp = NEUOPT_TEST_DATA "/golden/cvrp20_d32.npz";

TEST(Check, PassesOnTheTraces) {
  const Outcome outcome = run_program("check --json " + kTsp + " " + kCvrp);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["backend"], "reference");
  EXPECT_TRUE(report["passed"]);
  ASSERT_EQ(report["traces"].size(), 2u);
  for (const auto& row : report["traces"][1]["quantities"]) EXPECT_GT(row["compared"], 0) << row;
}

TEST(Check, FailsWithExitCodeOneAboveTolerance) {
  NamedTensors tensors = parse_npz(read_file(kTsp), kTsp);
  Tensor& log_prob = tensors.at("t0.log_prob");
  std::vector<float> values = log_prob.to_float();
  values[0] += 0.01f;
  log_prob = Tensor(log_prob.shape, values);
  const TemporaryFolder folder;
  write_npz(folder / "wrong.npz", tensors);
  const Outcome outcome = run_program("check " + kTsp + " " + (folder / "wrong.npz"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("FAILED"), std::string::npos);
  EXPECT_NE(outcome.output.find("above tolerance (step 0, instance 0)"), std::string::npos);
}

TEST(Check, RefusesWhatIsNoTraceAndUnknownBackends) {
  EXPECT_EQ(run_program("check /dev/null").code, 2);
  EXPECT_EQ(run_program("check " + kTsp + " --backend abacus").code, 2);
  EXPECT_EQ(run_program("check").code, 2);
  EXPECT_EQ(run_program("check " + kTsp + " --threads 5000").code, 2);
}

bool has_trainer() {
  return std::filesystem::exists(std::filesystem::path(NEUOPT_PROGRAM).replace_filename("neuopt-train"));
}

TEST(Trainer, ListsItsSettingsAlone) {
  if (!has_trainer()) GTEST_SKIP() << "this build has no trainer";
  const Outcome outcome = run_program("train --list-settings");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(outcome.output.starts_with("# The problem\nproblem = \"tsp\" ")) << outcome.output;
  EXPECT_EQ(run_program("train x.toml --list-settings").code, 2) << "not the settings of a file";
  EXPECT_EQ(run_program("train --set size=50 --list-settings").code, 2);
}

TEST(Trainer, IsNamedWhereItIsMissing) {
  if (has_trainer()) GTEST_SKIP() << "this build has a trainer";
  for (const std::string command :
       {"train configs/tsp50.toml --minutes 1", "bench train x.toml", "bench noise x.toml", "check --train x.npz"}) {
    const Outcome outcome = run_program(command);
    EXPECT_EQ(outcome.code, 3) << command;
    EXPECT_NE(outcome.errors.find("NEUOPT_TRAIN=ON"), std::string::npos) << outcome.errors;
  }
}

TEST(ImportAndInfo, MakeAndDescribeAModel) {
  const TemporaryFolder folder;
  const std::string model = folder / "model.safetensors";
  ASSERT_EQ(run_program("import " + kCvrp + " --k 4 --size 20 --output " + model).code, 0);
  const Outcome outcome = run_program("info --json " + model);
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["problem"], "cvrp");
  EXPECT_EQ(report["dim"], 32);
  EXPECT_EQ(report["max_moves"], 4);
  EXPECT_EQ(report["trained_size"], 20);
  EXPECT_EQ(report["provenance"]["imported_from"], "cvrp20_d32.npz");
  EXPECT_NE(run_program("info " + model).output.find("parameters"), std::string::npos);
}

TEST(ImportAndInfo, KnowTheBundledModels) {
  const Outcome outcome = run_program("info --json");
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto bundled = nlohmann::json::parse(outcome.output)["bundled"];
  EXPECT_EQ(bundled.size(), search::bundled_models().size());
  for (const auto& entry : bundled) {
    const std::string name = entry["model"];
    const Outcome one = run_program("info --json " + name);
    ASSERT_EQ(one.code, 0) << one.errors;
    EXPECT_EQ(nlohmann::json::parse(one.output)["problem"], entry["problem"]);
    EXPECT_NE(run_program("info").output.find(name), std::string::npos);
  }
  EXPECT_EQ(run_program("info tsp99x").code, 2);
  EXPECT_EQ(run_program("bench --model tsp99x").code, 2);
}

TEST(ImportAndInfo, RefuseDamagedAndForeignFiles) {
  const TemporaryFolder folder;
  const std::string model = folder / "model.safetensors";
  ASSERT_EQ(run_program("import " + kTsp + " --output " + model).code, 0);
  std::string bytes = read_file(model);
  bytes.back() ^= 1;
  write_file(model, bytes);
  const Outcome damaged = run_program("info " + model);
  EXPECT_EQ(damaged.code, 2);
  EXPECT_NE(damaged.errors.find("damaged model"), std::string::npos) << damaged.errors;
  EXPECT_EQ(run_program("info " + kTsp).code, 2);
  const Outcome old = run_program("import " NEUOPT_TEST_DATA "/io/checkpoint_legacy.pt --output " + (folder / "other"));
  EXPECT_EQ(old.code, 2);
  EXPECT_NE(old.errors.find("save it anew"), std::string::npos) << old.errors;
  EXPECT_EQ(run_program("import " + kTsp + " --k 1 --output " + (folder / "other")).code, 2);
}

}  // namespace
}  // namespace neuopt
