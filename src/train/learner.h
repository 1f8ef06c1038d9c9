// Learning on one batch of instances (Algorithm 1 of the paper): fresh instances, curriculum steps, then rollouts of n
// steps and updates. The host waits for the device between chunks only.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <vector>

#include "train/adam.h"
#include "train/batch_environment.h"
#include "train/config.h"
#include "train/phase_clock.h"
#include "train/ppo.h"
#include "train/replay.h"
#include "train/sampler.h"

namespace neuopt::train {

/// What a batch did, on the host.
struct BatchStatistics {
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

class Learner {
 public:
  Learner(const TrainConfig& config, torch::Device device);

  /// One batch. `stop` is asked between chunks, once the device is done with the last, and during the curriculum; when
  /// it says true the batch ends early, but not before its first chunk.
  BatchStatistics train_batch(int batch_number, const std::function<bool()>& stop);

  /// Keeps weights and moments but counts anew: a warm start is a run of its own.
  void forget_progress();

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  Adam& adam() { return adam_; }
  torch::Tensor& mean_improvement() { return mean_improvement_; }
  /// Updates made so far; decides the warm-up.
  std::int64_t updates = 0;
  /// The last chunk, for reports of what went wrong.
  const Chunk& chunk() const { return chunk_; }
  PhaseClock& clock() { return clock_; }

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
  Parameters parameters_;
  Adam adam_;
  BatchEnvironment environment_;
  Precision precision_;
  PolicyNetwork policy_;
  CriticNetwork critic_;
  std::unique_ptr<Sampler> sampler_;
  PhaseClock clock_;

  Chunk chunk_;                           // buffers of n steps
  std::vector<Observation> step_states_;  // (B) slices of chunk_.states, one for each step
  Observation scratch_state_;             // of steps without learning
  torch::Tensor scratch_choices_, scratch_log_prob_, scratch_rewards_;
  torch::Tensor old_values_;        // (n, B, 3) of the first inner epoch
  SampleKey key_;                   // counters: first instance, search step
  torch::Tensor mean_improvement_;  // 0-dim: E[r]
  torch::Tensor improvement_sum_;   // 0-dim: of the mean first-column rewards of this batch's chunks
  torch::Tensor sums_;  // (6): policy loss, value loss, entropy, both norms of the finite updates; their number
  Replay step_replay_, roll_out_replay_, update_replay_;
};

}  // namespace neuopt::train
