// Learning on batches of one size: fresh instances, curriculum steps, then rollouts and updates. The host waits for the
// device between rollouts only.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "train/algorithm.h"
#include "train/free_steps.h"
#include "train/search_pool.h"

namespace neuopt::train {

/// How much of the run is done, from 0 to 1; decides the rates. All members of a team ask at the same time.
using Progress = std::function<double()>;

/// Everything that depends on the size: environment, networks, buffers, and the work captured for them.
class SizeLearner {
 public:
  /// `config` is that of the size. The state must outlive the learner.
  SizeLearner(const TrainConfig& config, LearningState& state, torch::Device device,
              const AlgorithmMaker& make = make_algorithm);

  /// See Learner.
  BatchStatistics train_batch(int batch_number, const Progress& progress, const std::function<bool()>& stop);

  const Rows& last_rows() const { return algorithm_->last_rows(); }

 private:
  bool asked_to_stop(const std::function<bool()>& stop) const;
  int take_curriculum_steps(int steps, const std::function<bool()>& stop);
  int learn(const Progress& progress, const std::function<bool()>& stop);
  void begin_part(int done, int steps);
  void begin_afresh();

  SizeContext context_;
  FreeSteps steps_;
  std::optional<SearchPool> pool_;          // where the searches are chosen from
  std::optional<BatchEnvironment> starts_;  // of the searches, where some begin later
  std::unique_ptr<Algorithm> algorithm_;
};

}  // namespace neuopt::train
