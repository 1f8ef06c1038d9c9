// What a run reports while it works, and how its log says it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "train/batch_statistics.h"

namespace neuopt::train {

/// One batch.
struct BatchReport : BatchStatistics {
  int batch = 0;  // batches done
  int total_batches = 0;
  int epoch = 0;
  double seconds = 0;                // of this batch
  double milliseconds_per_step = 0;  // steps with learning and curriculum steps together
  double total_seconds = 0;          // of the run
  double seconds_left = 0;           // about: until all batches are done or the time is over
};

struct ValidationPoint {
  int steps;                          // search steps taken
  double mean_cost;                   // of the best solutions so far
  std::optional<double> gap_percent;  // mean of the gaps of the instances, when all have a reference cost
};

struct ValidationReport {
  int batch = 0;  // batches done
  int instances = 0;
  std::vector<ValidationPoint> points;   // of the weights
  std::vector<ValidationPoint> average;  // of their average; empty where the run keeps none
  double seconds = 0;
};

// Lines of log.jsonl. What belongs to the average ends in "_average".
nlohmann::ordered_json log_line(const BatchReport& report);
nlohmann::ordered_json log_line(const ValidationReport& report);

}  // namespace neuopt::train
