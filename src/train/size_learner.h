// Learning on batches of one size (Algorithm 1 of the paper): fresh instances, curriculum steps, then rollouts of n
// steps and updates. The host waits for the device between chunks only.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <vector>

#include "train/batch_environment.h"
#include "train/config.h"
#include "train/learning_state.h"
#include "train/ppo.h"
#include "train/replay.h"
#include "train/sampler.h"

namespace neuopt::train {

/// What a batch did, on the host.
struct BatchStatistics {
  int size = 0;                                         // nodes of a tsp, customers of a cvrp
  double initial_cost = 0;                              // mean over the instances, before the first step
  double start_cost = 0;                                // mean best after the curriculum steps
  double final_cost = 0;                                // mean best at the end
  double policy_loss = 0, value_loss = 0, entropy = 0;  // means over the finite updates
  double actor_norm = 0, critic_norm = 0;               // means, before clipping
  double mean_improvement = 0;                          // E[r] for the next batch
  double skipped = 0;                                   // updates skipped since the run began
  double skipped_in_a_row = 0;                          // at the end of the batch
  int curriculum_steps = 0, steps = 0;
};

/// Everything that depends on the size: environment, networks, buffers, and the work captured for them.
class SizeLearner {
 public:
  /// `config` is that of the size. The state must outlive the learner.
  SizeLearner(const TrainConfig& config, LearningState& state, torch::Device device);

  /// See Learner.
  BatchStatistics train_batch(int batch_number, const std::function<bool()>& stop);

  const Chunk& chunk() const { return chunk_; }

 private:
  void set_rates(int epoch);
  bool asked_to_stop(const std::function<bool()>& stop) const;
  void begin_batch(int batch_number);
  void step_without_learning();
  void roll_out();
  void update();
  void inner_epoch(const DecodePlan& plan, bool first);
  void mark_inside_update(const char* phase);
  BatchStatistics read_statistics(int chunks);

  TrainConfig config_;
  torch::Device device_;
  PpoOptions ppo_;
  LearningState& state_;
  BatchEnvironment environment_;
  Precision precision_;
  PolicyNetwork policy_;
  CriticNetwork critic_;
  std::unique_ptr<Sampler> sampler_;

  Chunk chunk_;                           // buffers of n steps
  std::vector<Observation> step_states_;  // (B) slices of chunk_.states, one for each step
  Observation scratch_state_;             // of steps without learning
  torch::Tensor scratch_choices_, scratch_log_prob_, scratch_rewards_;
  torch::Tensor old_values_;       // (n, B, 3) of the first inner epoch
  SampleKey key_;                  // counters: first instance, search step
  torch::Tensor improvement_sum_;  // 0-dim: of the mean first-column rewards of this batch's chunks
  torch::Tensor sums_;  // (6): policy loss, value loss, entropy, both norms of the finite updates; their number
  Replay step_replay_, roll_out_replay_, update_replay_;
};

}  // namespace neuopt::train
