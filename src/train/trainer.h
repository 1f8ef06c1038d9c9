// A training run from its settings to a model file: batches, validation, checkpoints, budget.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/config.h"

namespace neuopt::train {

struct RunOptions {
  std::string folder;                    // of the run
  bool resume = false;                   // continue from its newest valid checkpoint
  double minutes = 0;                    // wall-clock budget; 0: none
  double seconds_spent = 0;              // of the budget, before train() was called
  std::function<bool()> stop_requested;  // asked often; may be empty
};

/// One batch, as logged.
struct BatchReport {
  int batch = 0;  // batches done
  int total_batches = 0;
  int epoch = 0;
  int size = 0;  // of its instances
  double initial_cost = 0, start_cost = 0, final_cost = 0;
  double policy_loss = 0, value_loss = 0, entropy = 0, actor_norm = 0, critic_norm = 0;
  double actor_rate = 0;
  double skipped = 0;  // updates, since the run began
  int steps = 0, curriculum_steps = 0;
  double seconds = 0;                // of this batch
  double milliseconds_per_step = 0;  // steps with learning and curriculum steps together
  double total_seconds = 0;          // of the run
};

struct ValidationReport {
  struct Point {
    int steps;
    double mean_cost;
    std::optional<double> gap_percent;
  };
  int batch = 0;
  int instances = 0;
  std::vector<Point> points;
  double seconds = 0;
};

/// What the trainer tells while it works; any may be empty.
struct RunObserver {
  std::function<void(const BatchReport&)> batch;
  std::function<void(const ValidationReport&)> validation;
  std::function<void(const std::string&)> message;
};

struct RunResult {
  bool finished = false;  // all batches done; otherwise stopped early, with a checkpoint
  int batches_done = 0;
  std::string model;  // file
};

/// Runs until all batches are done, the budget is spent or a stop is requested. Throws InputError for settings that do
/// not fit, ResourceError when a device fails or updates keep being non-finite.
RunResult train(const TrainConfig& config, const RunOptions& options, const RunObserver& observer);

}  // namespace neuopt::train
