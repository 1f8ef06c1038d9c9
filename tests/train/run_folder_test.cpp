// The folder of a training run: what is read from it, what is left alone, and what damage does.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/error.h"
#include "core/file.h"
#include "policy/model.h"
#include "train/run_fixture.h"

namespace neuopt::train {
namespace {

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

TEST_F(TrainingRunTest, ACopyWithoutTheEmptyFolderOfItsCheckpointsBeginsAgain) {
  const TrainConfig config = tiny_config();
  fs::create_directories(folder_ / "run");
  write_file((folder_ / "run/config.toml").string(), format_train_config(config));
  EXPECT_TRUE(train(config, in("run", true), {}).finished);
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

TEST_F(TrainingRunTest, CheckpointsAreInTheOrderOfTheirNumbers) {
  const RunFolder run((folder_ / "run").string());
  fs::create_directories(folder_ / "run/checkpoints");
  for (const int number : {999'999, 1'000'000, 12}) write_file(run.checkpoint_file(number), "");
  EXPECT_EQ(run.checkpoints(), (std::vector<std::string>{run.checkpoint_file(1'000'000), run.checkpoint_file(999'999),
                                                         run.checkpoint_file(12)}));
  run.remove_other_checkpoints(1'000'000);
  EXPECT_EQ(run.checkpoints().size(), 3u);
  run.remove_other_checkpoints(999'999);
  EXPECT_EQ(run.checkpoints(), (std::vector<std::string>{run.checkpoint_file(999'999), run.checkpoint_file(12)}));
}

TEST_F(TrainingRunTest, CopiesBesideTheCheckpointsAreLeftAlone) {
  const RunFolder run((folder_ / "run").string());
  fs::create_directories(folder_ / "run/checkpoints");
  write_file(run.checkpoint_file(3), "");
  const std::vector<fs::path> copies{"batch-000030-good.safetensors", "batch-best.safetensors", "batch-.safetensors"};
  for (const fs::path& copy : copies) write_file((folder_ / "run/checkpoints" / copy).string(), "");
  EXPECT_EQ(run.checkpoints(), std::vector<std::string>{run.checkpoint_file(3)});
  run.remove_other_checkpoints(2);
  EXPECT_TRUE(run.checkpoints().empty());
  for (const fs::path& copy : copies) EXPECT_TRUE(fs::exists(folder_ / "run/checkpoints" / copy)) << copy;
}

TEST_F(TrainingRunTest, WhereARunBeganIsNotChangedLater) {
  run_batches(tiny_config(), in("run"), 2);
  const std::string settings = read_file((folder_ / "run/config.toml").string());
  for (const char* setting : {"init=elsewhere", "init_average=true"}) {
    const std::string command =
        NEUOPT_PROGRAM " train --quiet --resume " + (folder_ / "run").string() + " --set " + setting + " 2>/dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2) << setting;
  }
  EXPECT_EQ(read_file((folder_ / "run/config.toml").string()), settings);
}

TEST_F(TrainingRunTest, AnInterruptIsAnsweredAtOnce) {
  TrainConfig config = tiny_config();
  config.epochs = 1000000;
  write_file((folder_ / "settings.toml").string(), format_train_config(config));
  const std::string errors = (folder_ / "errors").string();
  const std::string command = "timeout -s INT --preserve-status 2 " NEUOPT_PROGRAM " train " +
                              (folder_ / "settings.toml").string() + " --run " + (folder_ / "run").string() + " 2>" +
                              errors;
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
  EXPECT_NE(read_file(errors).find("stopping after this rollout"), std::string::npos) << read_file(errors);
}

TEST_F(TrainingRunTest, AnotherNetworkIsNamedWithWhatIsDifferent) {
  run_batches(tiny_config(), in("run"), 1);
  TrainConfig other = tiny_config();
  other.layers += 1;
  for (const char* file : {"", "/model.safetensors"}) {
    other.init = (folder_ / "run").string() + file;
    try {
      train(other, in("another"), {});
      ADD_FAILURE();
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("layers"), std::string::npos) << error.what();
    }
  }
}

TEST_F(TrainingRunTest, FolderWithARunIsNotOverwritten) {
  const TrainConfig config = tiny_config();
  run_batches(config, in("run"), 1);
  EXPECT_THROW(train(config, in("run"), {}), InputError);
}

}  // namespace
}  // namespace neuopt::train
