// Training runs from outside: learning, checkpoints, interruptions.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "policy/model.h"
#include "search/settings.h"
#include "train/check_trace.h"
#include "train/run_fixture.h"

namespace neuopt::train {
namespace {

TEST(TraceTest, TrainerReproducesRecordedRolloutsAndUpdates) {
  for (const char* name : {"tsp20_d32.npz", "cvrp20_d32.npz"}) {
    const backends::trace::Discrepancies table = check_trace(std::string(NEUOPT_TEST_DATA) + "/golden/" + name, "cpu");
    EXPECT_GT(table.rows().size(), 15u);
    for (const backends::trace::Discrepancy& row : table.rows())
      EXPECT_TRUE(row.passed()) << name << ": " << row.quantity << " " << row.largest << " " << row.where;
  }
}

TEST_F(TrainingRunTest, LearnsToShortenTours) {
  TrainConfig config = tiny_config();
  config.batch = 32;
  config.steps = 20;
  config.epochs = 1;
  config.batches_per_epoch = 8;
  config.actor_rate = config.critic_rate = 2e-3;
  config.validation_count = 64;
  config.validation_steps = {20};
  std::vector<double> costs;
  RunObserver observer;
  observer.validation = [&](const ValidationReport& report) { costs.push_back(report.points.at(0).mean_cost); };
  const RunResult result = train(config, in("run"), observer);
  EXPECT_TRUE(result.finished);
  ASSERT_EQ(costs.size(), 2u);  // before the first batch and after the last
  EXPECT_LT(costs[1], 0.97 * costs[0]);
  EXPECT_EQ(policy::load_model(result.model).trained_size, 8);
}

TEST_F(TrainingRunTest, EveryAblationTrains) {
  const char* ablations[] = {"recurrent=false",
                             "move_stream=false",
                             "edge_stream=false",
                             "random_start_move=true",
                             "fixed_k=true",
                             "violation_features=false",
                             "exploration_features=false",
                             "regulation_reward=false",
                             "bonus_reward=false",
                             "max_moves=3",
                             "max_moves=2 masking=true"};
  int number = 0;
  for (const char* ablation : ablations) {
    TrainConfig config = tiny_config("cvrp");
    config.epochs = config.batches_per_epoch = 1;
    std::istringstream settings(ablation);
    for (std::string setting; settings >> setting;) apply_setting(config, setting);
    double skipped = -1;
    RunObserver observer;
    observer.batch = [&](const BatchReport& report) { skipped = report.skipped; };
    const RunResult result = train(config, in(std::to_string(number++)), observer);
    EXPECT_TRUE(result.finished) << ablation;
    EXPECT_EQ(skipped, 0) << ablation;
    const policy::Model model = policy::load_model(result.model);
    EXPECT_EQ(model.architecture, config.architecture()) << ablation;
    const env::GireParameters searched = search::session_options(search::SolveOptions{}, model).gire;
    EXPECT_EQ(searched.violation_features, config.violation_features) << ablation;
    EXPECT_EQ(searched.exploration_features, config.exploration_features) << ablation;
  }
}

TEST_F(TrainingRunTest, ShapedInstancesTrain) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    TrainConfig config = tiny_config(problem);
    std::vector<double> initial_costs;
    RunObserver observer;
    observer.batch = [&](const BatchReport& report) {
      EXPECT_EQ(report.skipped, 0);
      if (report.batch == 1) initial_costs.push_back(report.initial_cost);
    };
    for (const double shaped : {0.0, 1.0}) {
      config.shaped = shaped;
      EXPECT_TRUE(train(config, in(std::string(problem) + std::to_string(shaped)), observer).finished);
    }
    ASSERT_EQ(initial_costs.size(), 2u);
    EXPECT_NE(initial_costs[0], initial_costs[1]);
  }
}

TEST_F(TrainingRunTest, ResumedRunEndsBitForBitLikeAnUninterruptedOne) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    const TrainConfig config = tiny_config(problem);
    const std::string whole = std::string(problem) + "_whole", parts = std::string(problem) + "_parts";
    train(config, in(whole), {});
    const RunResult stopped = run_batches(config, in(parts), 2);
    EXPECT_FALSE(stopped.finished);
    EXPECT_EQ(stopped.batches_done, 2);
    EXPECT_NE(newest_state(parts), newest_state(whole));
    EXPECT_TRUE(train(config, in(parts, true), {}).finished);
    EXPECT_EQ(newest_state(parts), newest_state(whole));
  }
}

TEST_F(TrainingRunTest, SizesTakeTurnsAlsoAfterAResume) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    TrainConfig config = tiny_config(problem);
    config.more_sizes = {6, 11};
    const std::string whole = std::string(problem) + "_whole", parts = std::string(problem) + "_parts";
    std::vector<int> sizes;
    RunObserver observer;
    observer.batch = [&](const BatchReport& report) { sizes.push_back(report.size); };
    train(config, in(whole), observer);
    EXPECT_EQ(sizes, (std::vector<int>{8, 6, 11, 8}));
    run_batches(config, in(parts), 2);
    EXPECT_TRUE(train(config, in(parts, true), {}).finished);
    EXPECT_EQ(newest_state(parts), newest_state(whole));
  }
}

TEST_F(TrainingRunTest, TooFewDepotsForTheWindowsEndARun) {
  TrainConfig config = tiny_config();
  config.problem = "vrptw";
  config.size = 12;
  config.depots = 2;
  complete_and_validate(config, "test");
  try {
    train(config, in("run"), {});
    FAIL() << "infinite costs";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "depots is 2: too few for the starts of 12 customers");
  }
}

TEST_F(TrainingRunTest, SettingsChangedAtAResumeAreWritten) {
  TrainConfig config = tiny_config();
  run_batches(config, in("run"), 1);
  config.actor_rate = 0.00125;
  run_batches(config, in("run", true), 2);
  EXPECT_EQ(read_train_config(RunFolder((folder_ / "run").string()).config_file()).actor_rate, 0.00125);
}

TEST_F(TrainingRunTest, SaysWhenTheNetworkIsRunDifferently) {
  TrainConfig config = tiny_config();
  run_batches(config, in("run"), 1);
  std::string told;
  RunObserver observer;
  observer.message = [&](const std::string& message) { told += message + "\n"; };
  run_batches(config, in("run", true), 2, observer);
  EXPECT_EQ(told.find("run differently"), std::string::npos) << told;
  config.max_moves += 1;
  run_batches(config, in("run", true), 3, observer);
  EXPECT_NE(told.find("run differently"), std::string::npos) << told;
  EXPECT_NE(told.find("max_moves"), std::string::npos) << told;
  told.clear();
  config.init = (folder_ / "run" / "model.safetensors").string();
  config.prospects = true;
  config.foresight = 3;
  run_batches(config, in("told"), 1, observer);
  EXPECT_NE(told.find("told what choices lead to"), std::string::npos) << told;
  EXPECT_EQ(told.find("run differently"), std::string::npos) << "a foresight it never had";
}

TEST_F(TrainingRunTest, WarmStartFromARunTakesItsNewestValidCheckpoint) {
  TrainConfig config = tiny_config();
  run_batches(config, in("first"), 2);
  const std::vector<std::string> files = RunFolder((folder_ / "first").string()).checkpoints();
  ASSERT_EQ(files.size(), 2u);
  write_file(files[0], "damaged");
  SafeTensors valid = read_safetensors(files[1]);
  config.init = (folder_ / "first").string();
  config.actor_rate = config.critic_rate = 0;
  train(config, in("second"), {});
  const NamedTensors after = newest_state("second");
  for (const auto& [name, tensor] : valid.tensors)
    EXPECT_TRUE(after.at(name) == tensor || !(name.starts_with("actor.") || name.starts_with("critic."))) << name;
  EXPECT_EQ(after.at("optimizer.steps").to_double().at(0), valid.tensors.at("optimizer.steps").to_double().at(0) + 24);
  write_file(files[1], "damaged");
  EXPECT_THROW(train(config, in("third"), {}), InputError);
}

TEST_F(TrainingRunTest, StopIsAnsweredInsideABatch) {
  TrainConfig config = tiny_config();
  config.first_epoch = 100;  // as many curriculum steps
  config.epochs = 101;
  RunOptions options = in("run");
  int questions = -1;  // counted once the first validation is done
  options.stop_requested = [&] { return questions >= 0 && ++questions > 2; };
  RunObserver observer;
  observer.validation = [&](const ValidationReport&) { questions = std::max(questions, 0); };
  BatchReport seen;
  observer.batch = [&](const BatchReport& report) { seen = report; };
  EXPECT_FALSE(train(config, options, observer).finished);
  EXPECT_EQ(seen.batch, 1);
  EXPECT_LT(seen.curriculum_steps, 100);
  EXPECT_EQ(seen.steps, config.chunk);
}

TEST_F(TrainingRunTest, KilledRunContinues) {
  TrainConfig config = tiny_config();
  config.epochs = 5;
  train(config, in("whole"), {});
  const std::string settings = (folder_ / "config.toml").string(), run = (folder_ / "run").string();
  write_file(settings, format_train_config(config));
  const pid_t child = fork();
  if (child == 0) {
    execl(NEUOPT_PROGRAM, "neuopt", "train", settings.c_str(), "--run", run.c_str(), "--quiet", nullptr);
    _exit(127);
  }
  const auto started = std::chrono::steady_clock::now();
  while (RunFolder(run).checkpoints().size() < 2 &&
         std::chrono::steady_clock::now() - started < std::chrono::seconds(60) && waitpid(child, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_GE(RunFolder(run).checkpoints().size(), 2u);
  EXPECT_TRUE(train(config, in("run", true), {}).finished);
  EXPECT_EQ(newest_state("run"), newest_state("whole"));
}

TEST_F(TrainingRunTest, BudgetEndsARunWithAValidationAndACheckpoint) {
  TrainConfig config = tiny_config();
  config.epochs = 100000;
  for (const int interval : {100000, 1}) {
    config.checkpoint_interval = interval;
    RunOptions options = in("run" + std::to_string(interval));
    options.minutes = 4.0 / 60;
    const auto started = std::chrono::steady_clock::now();
    const RunResult result = train(config, options, {});
    EXPECT_FALSE(result.finished);
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
    EXPECT_EQ(RunFolder(options.folder).checkpoints().size(), interval > 1 ? 1u : 3u);
    const std::string validation = policy::load_model(result.model).provenance.at("validation");
    EXPECT_NE(validation.find("after batch " + std::to_string(result.batches_done)), std::string::npos) << validation;
  }
}

TEST_F(TrainingRunTest, WarmStartTakesTheWeightsOfAModel) {
  TrainConfig config = tiny_config();
  const RunResult first = train(config, in("first"), {});
  TrainConfig larger = config;
  larger.size = 12;
  larger.init = first.model;
  larger.actor_rate = larger.critic_rate = 0;
  train(larger, in("second"), {});
  EXPECT_EQ(policy::load_model(first.model).weights.tensors(""),
            policy::load_model((folder_ / "second" / "model.safetensors").string()).weights.tensors(""));
  larger.dim = 32;
  EXPECT_THROW(train(larger, in("third"), {}), InputError);
}

TEST_F(TrainingRunTest, RunThatKeepsBeingNonFiniteStopsAndKeepsTheBatch) {
  TrainConfig config = tiny_config();
  config.actor_rate = 1e30;
  config.chunk = 1;
  config.steps = 30;
  BatchReport seen;
  RunObserver observer;
  observer.batch = [&](const BatchReport& report) { seen = report; };
  EXPECT_THROW(train(config, in("run"), observer), ResourceError);
  EXPECT_GT(seen.skipped, 0);
  EXPECT_TRUE(std::isfinite(seen.policy_loss + seen.value_loss + seen.entropy + seen.actor_norm));
  EXPECT_TRUE(fs::exists(folder_ / "run" / "nonfinite-batch-000000.npz"));
}

}  // namespace
}  // namespace neuopt::train
