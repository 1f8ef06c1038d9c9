// What learning on instances of one size works with, whatever the algorithm.
#pragma once

#include <torch/types.h>

#include <memory>

#include "train/batch_environment.h"
#include "train/batch_statistics.h"
#include "train/config.h"
#include "train/learning_state.h"
#include "train/policy_network.h"
#include "train/sampler.h"

namespace neuopt::train {

/// A loss and the parts of it that are reported; all 0-dim.
struct Losses {
  torch::Tensor total;
  torch::Tensor policy, value, entropy;
};

class SizeContext {
 public:
  /// `config` is that of the size. The state must outlive the context.
  SizeContext(const TrainConfig& config, LearningState& state, torch::Device device);
  SizeContext(const SizeContext&) = delete;
  SizeContext& operator=(const SizeContext&) = delete;

  /// The first instances of a batch.
  void generate(BatchEnvironment& searches, int batch_number) const;
  /// Fresh instances (but where a pool has them), sums and rates of a batch. progress: of the run, from 0 to 1.
  void begin_batch(int batch_number, double progress);
  /// The rates of the updates from here on.
  void set_progress(double progress);
  /// Sets the rates of the next so many updates and counts them.
  void announce_updates(int count);
  /// One step of the optimiser, down the gradient of a loss over so many rows. Nothing waits for the device.
  void descend(const Losses& losses, std::int64_t rows);
  /// Adds a rollout's rewards (n, B, 3) to the mean improvement of the batch.
  void count_improvement(const torch::Tensor& rewards) { improvement_sum_.add_(rewards.select(2, 0).mean()); }
  /// Ends a batch of so many rollouts: what it leaves for the next one, and what there is to report of it.
  BatchStatistics end_batch(int rollouts);

  /// A captured graph runs as a whole: its parts can be timed only without.
  void mark_inside_graph(const char* phase);

  const TrainConfig config;
  const torch::Device device;
  LearningState& state;
  BatchEnvironment environment;  // the B searches
  const int nodes;               // N
  const Precision precision;
  const PolicyNetwork policy;
  const std::unique_ptr<Sampler> sampler;  // for as many rows as a rollout or a pool has
  SampleKey key;                           // of the B searches. Counters: first instance, search step

 private:
  torch::Tensor shared_gradients(const torch::Tensor& loss);

  double decay_ = 1;               // of the rates in this batch
  double rate_scale_ = 1;          // the decay, and how far the run is
  torch::Tensor improvement_sum_;  // 0-dim: of the mean first-column rewards of this batch's rollouts
  torch::Tensor sums_;  // (6): policy loss, value loss, entropy, both norms of the finite updates; their number
};

}  // namespace neuopt::train
