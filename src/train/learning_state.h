// What is learned, and what else one batch leaves for the next; sizes share it and a checkpoint keeps it.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "train/adam.h"
#include "train/config.h"
#include "train/parameters.h"
#include "train/phase_clock.h"
#include "train/team.h"
#include "train/weight_average.h"

namespace neuopt::train {

struct LearningState {
  /// Random weights, drawn by the seed of the settings. The critic is there only where the algorithm has one.
  LearningState(const TrainConfig& config, torch::Device device);

  /// Keeps weights and moments but counts and averages anew: a warm start is a run of its own.
  void forget_progress();

  const bool grouped;  // learned by group rollouts, which decides what the critic's values are
  Parameters parameters;
  Adam adam;
  WeightAverage average;                                  // of the policy
  torch::Tensor mean_improvement;                         // 0-dim: E[r] of the last batch
  torch::Tensor value_unit;                               // 0-dim: see BranchCritic; 0 until there is one
  std::int64_t updates = 0;                               // made so far; decides the warm-up
  PhaseClock clock;                                       // of this process; not part of a checkpoint
  std::shared_ptr<Team> team = std::make_shared<Team>();  // who learns it; not part of a checkpoint
};

}  // namespace neuopt::train
