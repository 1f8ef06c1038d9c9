// Learning batch after batch, of one size or of several in turn.
#pragma once

#include <memory>
#include <vector>

#include "train/size_learner.h"

namespace neuopt::train {

class Learner {
 public:
  Learner(const TrainConfig& config, torch::Device device);

  /// One batch, of the size whose turn it is. progress is asked when the batch begins and between rollouts. `stop` is
  /// asked between rollouts, once the device is done with the last, and during the curriculum; when it says true the
  /// batch ends early, but not before its first rollout.
  BatchStatistics train_batch(int batch_number, const Progress& progress, const std::function<bool()>& stop);

  LearningState& state() { return state_; }
  /// Rows of the last update, for reports of what went wrong.
  const Rows& last_rows() const { return sizes_[last_]->last_rows(); }

 private:
  LearningState state_;
  std::vector<std::unique_ptr<SizeLearner>> sizes_;  // in order of turn
  std::size_t last_ = 0;                             // whose turn was last
};

}  // namespace neuopt::train
