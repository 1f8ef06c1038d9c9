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

TEST_F(TrainingRunTest, DamagedNewestCheckpointIsPassedOver) {
  const TrainConfig config = tiny_config();
  train(config, in("whole"), {});
  run_batches(config, in("run"), 3);
  const std::vector<std::string> checkpoints = RunFolder((folder_ / "run").string()).checkpoints();
  ASSERT_EQ(checkpoints.size(), 3u);
  fs::resize_file(checkpoints[0], fs::file_size(checkpoints[0]) - 7);
  std::string bytes = read_file(checkpoints[1]);  // one wrong byte in the middle
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(checkpoints[1], bytes);
  std::vector<std::string> messages;
  RunObserver observer;
  observer.message = [&](const std::string& text) { messages.push_back(text); };
  EXPECT_TRUE(train(config, in("run", true), observer).finished);
  ASSERT_EQ(messages.size(), 4u);  // two damaged ones, the file that was read, where the run continues
  EXPECT_NE(messages[3].find("after batch 1"), std::string::npos) << messages[3];
  EXPECT_EQ(newest_state("run"), newest_state("whole"));
  std::ifstream log(folder_ / "run" / "log.jsonl");
  int batches = 0;
  for (std::string line; std::getline(log, line);) batches += line.find("\"event\":\"batch\"") != std::string::npos;
  EXPECT_EQ(batches, 4);  // no batch is in the log twice
}

TEST_F(TrainingRunTest, OneProcessAtATimeWorksOnARun) {
  const TrainConfig config = tiny_config();
  run_batches(config, in("run"), 2);
  const std::string log = read_file((folder_ / "run" / "log.jsonl").string());
  const RunLock held = RunFolder((folder_ / "run").string()).lock();
  EXPECT_THROW(train(config, in("run", true), {}), InputError);
  EXPECT_EQ(read_file((folder_ / "run" / "log.jsonl").string()), log);
}

TEST_F(TrainingRunTest, WhatIsLeftOfAnotherRunIsNotWrittenOver) {
  const TrainConfig config = tiny_config();
  run_batches(config, in("run"), 2);
  fs::remove(folder_ / "run" / "config.toml");
  EXPECT_THROW(train(config, in("run"), {}), InputError);
  for (const char* file : {"log.jsonl", "model.safetensors", "average.safetensors", "best.safetensors"})
    fs::remove(folder_ / "run" / file);
  EXPECT_THROW(train(config, in("run"), {}), InputError) << "checkpoints are left";
}

TEST_F(TrainingRunTest, AnAverageThatIsKeptNoLongerIsRemoved) {
  TrainConfig config = tiny_config();
  config.average = 5;
  run_batches(config, in("run"), 2);
  ASSERT_TRUE(fs::exists(folder_ / "run" / "average.safetensors"));
  config.average = 0;
  train(config, in("run", true), {});
  EXPECT_FALSE(fs::exists(folder_ / "run" / "average.safetensors"));
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

TEST_F(TrainingRunTest, DamagedLinesOfTheLogDoNotStopARun) {
  const TrainConfig config = tiny_config();
  run_batches(config, in("run"), 2);
  const std::string log = (folder_ / "run" / "log.jsonl").string();
  const std::string whole = read_file(log);
  write_file(log, R"({"event":"batch","batch":"two"})"
                  "\n[1]\n" +
                      whole + R"({"event":"ba)");
  RunFolder((folder_ / "run").string()).rewind_log(2);
  EXPECT_EQ(read_file(log), whole);
}

TEST_F(TrainingRunTest, DamagedMetadataOfACheckpointAreSeen) {
  const TrainConfig config = tiny_config();
  run_batches(config, in("run"), 2);
  const std::string newest = RunFolder((folder_ / "run").string()).checkpoints().at(0);
  std::string bytes = read_file(newest);
  const std::size_t place = bytes.find("\"batches_done\":\"2\"");
  ASSERT_NE(place, std::string::npos);
  bytes[place + 16] = '3';
  write_file(newest, bytes);
  std::string last;
  RunObserver observer;
  observer.message = [&](const std::string& text) { last = text; };
  EXPECT_TRUE(train(config, in("run", true), observer).finished);
  EXPECT_NE(last.find("after batch 1"), std::string::npos) << last;
}

TEST_F(TrainingRunTest, ResumeWithoutAUsableCheckpointTouchesNothing) {
  TrainConfig config = tiny_config();
  run_batches(config, in("run"), 2);
  const auto contents = [&] {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "run"))
      if (entry.is_regular_file()) files[entry.path().string()] = read_file(entry.path().string());
    return files;
  };
  const auto before = contents();
  TrainConfig other = config;
  other.recurrent = false;  // the same tensors, another network
  EXPECT_THROW(train(other, in("run", true), {}), InputError);
  EXPECT_EQ(contents(), before);
  for (const std::string& file : RunFolder((folder_ / "run").string()).checkpoints()) write_file(file, "damaged");
  const auto damaged = contents();
  EXPECT_THROW(train(config, in("run", true), {}), InputError);
  EXPECT_EQ(contents(), damaged);
}

TEST_F(TrainingRunTest, LostCheckpointsAreNotBegunAgain) {
  TrainConfig config = tiny_config();
  run_batches(config, in("run"), 3);
  const RunFolder run((folder_ / "run").string());
  fs::remove_all(folder_ / "run" / "checkpoints");
  const std::string log = read_file(run.log_file()), model = read_file(run.model_file());
  EXPECT_THROW(train(config, in("run", true), {}), InputError);
  EXPECT_EQ(read_file(run.log_file()), log);
  EXPECT_EQ(read_file(run.model_file()), model);
  fs::remove(run.model_file());
  EXPECT_THROW(train(config, in("run", true), {}), InputError) << "the log tells it";
  EXPECT_EQ(read_file(run.log_file()), log);
}

TEST_F(TrainingRunTest, KilledBeforeItsFirstCheckpointARunBeginsAgain) {
  const TrainConfig config = tiny_config();
  train(config, in("whole"), {});
  run_batches(config, in("run"), 1);
  // As a kill leaves it between the line in the log and the checkpoint.
  const RunFolder run((folder_ / "run").string());
  for (const std::string& file : run.checkpoints()) fs::remove(file);
  fs::remove(run.model_file());
  EXPECT_TRUE(train(config, in("run", true), {}).finished);
  EXPECT_EQ(newest_state("run"), newest_state("whole"));
}

TEST_F(TrainingRunTest, RunThatBeginsAgainHasNoLineTwice) {
  const TrainConfig config = tiny_config();
  run_batches(config, in("run"), 1);
  const RunFolder run((folder_ / "run").string());
  for (const std::string& file : run.checkpoints()) fs::remove(file);
  fs::remove(run.model_file());
  train(config, in("run", true), {});
  const std::string log = read_file(run.log_file()), first = "{\"event\":\"validation\",\"batch\":0,";
  EXPECT_EQ(log.find(first), 0u);
  EXPECT_EQ(log.find(first, 1), std::string::npos);
}

TEST_F(TrainingRunTest, KilledAfterItsLastCheckpointARunStillGetsItsModels) {
  TrainConfig config = tiny_config("cvrp");
  config.average = 3;
  run_batches(config, in("run"), 3);
  const RunFolder run((folder_ / "run").string());
  const std::string models[] = {run.model_file(), run.average_file()};
  const std::string old[] = {read_file(models[0]), read_file(models[1])};
  const std::string oldest = run.checkpoints().back(), content = read_file(oldest);
  train(config, in("run", true), {});
  const std::string done[] = {read_file(models[0]), read_file(models[1])};
  // As a kill leaves it right behind the checkpoint.
  for (const int file : {0, 1}) write_file(models[file], old[file]);
  write_file(oldest, content);
  EXPECT_TRUE(train(config, in("run", true), {}).finished);
  for (const int file : {0, 1}) EXPECT_EQ(read_file(models[file]), done[file]);
  EXPECT_EQ(run.checkpoints().size(), 3u);
}

TEST_F(TrainingRunTest, CheckpointJustWrittenIsKeptBesideNewerLeftovers) {
  const TrainConfig config = tiny_config();
  run_batches(config, in("run"), 1);
  const RunFolder run((folder_ / "run").string());
  for (const int leftover : {7, 8, 9}) write_file(run.checkpoint_file(leftover), "damaged");
  run_batches(config, in("run", true), 2);
  EXPECT_EQ(run.checkpoints(), (std::vector<std::string>{run.checkpoint_file(2), run.checkpoint_file(1)}));
}

TEST_F(TrainingRunTest, SettingsChangedAtAResumeAreWritten) {
  TrainConfig config = tiny_config();
  run_batches(config, in("run"), 1);
  config.actor_rate = 0.00125;
  run_batches(config, in("run", true), 2);
  EXPECT_EQ(read_train_config(RunFolder((folder_ / "run").string()).config_file()).actor_rate, 0.00125);
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

TEST_F(TrainingRunTest, FolderWithARunIsNotOverwritten) {
  const TrainConfig config = tiny_config();
  run_batches(config, in("run"), 1);
  EXPECT_THROW(train(config, in("run"), {}), InputError);
}

}  // namespace
}  // namespace neuopt::train
