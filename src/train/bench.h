// How fast training is, and where its time goes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "train/config.h"

namespace neuopt::train {

struct TrainBenchResult {
  double milliseconds_per_step = 0;                    // a search step with its share of the updates
  std::vector<std::pair<std::string, double>> phases;  // milliseconds per step of each
  double peak_memory_mib = 0;                          // of the device's allocator; 0 on a CPU
  std::string device;
};

/// Trains `batches` batches (the first one more, to warm up) of at most `steps` steps.
TrainBenchResult bench_training(TrainConfig config, int batches, int steps);

}  // namespace neuopt::train
