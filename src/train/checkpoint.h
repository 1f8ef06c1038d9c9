// The complete state of a training run as one safetensors file: weights, their average,
// optimiser, counters, settings.
#pragma once

#include <string>

#include "train/config.h"
#include "train/learning_state.h"

namespace neuopt::train {

/// What a checkpoint holds besides tensors.
struct CheckpointInfo {
  int batches_done = 0;           // the next batch has this number
  double best_validation = 0;     // lowest mean validation cost so far; 0: none yet
  double seconds = 0;             // of training so far
  double wall_seconds = 0;        // of the run so far, with everything that is not training
  double validation_seconds = 0;  // that the newest validation took
  std::string validated_on;       // what it measured: costs compare with best_validation only where that is the same
  // What models say of the newest validation, of the weights and of their average; empty: none yet.
  std::string validation, average_validation;
  // Of one that was loaded: in what its network was run differently, see require_same_network.
  std::string network_changes;
};

/// Replaces the file atomically.
void save_checkpoint(const std::string& path, const TrainConfig& config, LearningState& state,
                     const CheckpointInfo& info);

/// Throws InputError, with what is different, when weights of one network are not those of another. K, C and foresight
/// have no tensor: learning may go on with others, which are returned in words; empty: all are the same.
std::string require_same_network(const policy::Architecture& stored, policy::Architecture expected,
                                 const std::string& path);

/// Restores the state. Throws InputError when the file is damaged or belongs to another network; the state
/// is as before then. What a run of another algorithm or one without an average does not have begins anew: the critic
/// stays as it is, its moments are 0, and the average starts from the weights.
CheckpointInfo load_checkpoint(const std::string& path, LearningState& state);

}  // namespace neuopt::train
