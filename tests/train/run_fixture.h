// Small training runs in folders of their own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "io/safetensors.h"
#include "train/run_folder.h"
#include "train/trainer.h"

namespace neuopt::train {

namespace fs = std::filesystem;

/// A network and a batch so small that a batch takes a fraction of a second.
inline TrainConfig tiny_config(const std::string& problem = "tsp") {
  TrainConfig config;
  config.problem = problem;
  config.size = 8;
  config.dim = 16;
  config.feed_forward = 16;
  config.layers = 1;
  config.batch = 8;
  config.steps = 4;
  config.chunk = 2;
  config.epochs = 2;
  config.batches_per_epoch = 2;
  config.threads = 1;
  config.device = "cpu";
  config.checkpoint_interval = 1;
  config.validation_count = 4;
  config.validation_steps = {3};
  config.validation_interval = 100;
  complete_and_validate(config, "test");
  return config;
}

class TrainingRunTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(test.begin(), test.end(), '/', '_');  // of a test with parameters
    folder_ = fs::path(testing::TempDir()) / ("train_" + std::to_string(getpid()) + test);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  RunOptions in(const std::string& name, bool resume = false) const {
    RunOptions options;
    options.folder = (folder_ / name).string();
    options.resume = resume;
    return options;
  }

  /// Runs until this many batches are done, as an interrupt would end it.
  RunResult run_batches(const TrainConfig& config, RunOptions options, int batches, RunObserver observer = {}) {
    bool stop = false;
    options.stop_requested = [&] { return stop; };
    observer.batch = [&](const BatchReport& report) { stop = report.batch >= batches; };
    return train(config, options, observer);
  }

  NamedTensors newest_state(const std::string& name) const {
    return read_safetensors(RunFolder((folder_ / name).string()).checkpoints().at(0)).tensors;
  }

  fs::path folder_;
};

}  // namespace neuopt::train
