// Learning on batches of one size: fresh instances, curriculum steps, then rollouts and updates. The host waits for the
// device between rollouts only.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "train/algorithm.h"
#include "train/replay.h"
#include "train/search_pool.h"

namespace neuopt::train {

/// Everything that depends on the size: environment, networks, buffers, and the work captured for them.
class SizeLearner {
 public:
  /// `config` is that of the size. The state must outlive the learner.
  SizeLearner(const TrainConfig& config, LearningState& state, torch::Device device,
              const AlgorithmMaker& make = make_algorithm);

  /// See Learner.
  BatchStatistics train_batch(int batch_number, double progress, const std::function<bool()>& stop);

  const Rows& last_rows() const { return algorithm_->last_rows(); }

 private:
  bool asked_to_stop(const std::function<bool()>& stop) const;
  void begin_batch(int batch_number, double progress);
  int take_curriculum_steps(int steps, const std::function<bool()>& stop);
  int learn(const std::function<bool()>& stop);
  void begin_part(int done, int steps);
  void step_without_learning();

  SizeContext context_;
  std::optional<SearchPool> pool_;  // where the searches are chosen from
  BatchEnvironment starts_;         // of the searches, for those that begin later
  Chunk scratch_;                   // of a step without learning
  Replay step_replay_;
  std::unique_ptr<Algorithm> algorithm_;
};

}  // namespace neuopt::train
