// A training run from its settings to a model file: batches, validation, checkpoints, budget.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "train/config.h"
#include "train/reports.h"
#include "train/team.h"

namespace neuopt::train {

struct RunOptions {
  std::string folder;                    // of the run
  bool resume = false;                   // continue from its newest valid checkpoint
  double minutes = 0;                    // wall-clock limit of this call; 0: none. final_rate is reached at its end
  double total_minutes = 0;              // the same of the run, in all calls that worked on it
  double seconds_spent = 0;              // of this process, before train() was called
  std::function<bool()> stop_requested;  // asked often; may be empty
  std::shared_ptr<Team> team = std::make_shared<Team>();  // its first member alone writes and reports
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
  std::string model;  // file of the average where the run keeps one, otherwise of the weights
};

/// Runs until all batches are done, its time is over or a stop is requested. Throws InputError for settings that do
/// not fit, ResourceError when a device fails or updates keep being non-finite.
RunResult train(const TrainConfig& config, const RunOptions& options, const RunObserver& observer);

}  // namespace neuopt::train
