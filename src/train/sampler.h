// Draws actions for the steps that learn nothing by themselves: curriculum, rollouts and validation.
#pragma once

#include <torch/types.h>

#include <memory>

#include "train/batch_environment.h"
#include "train/decoding.h"
#include "train/policy_network.h"

namespace neuopt::train {

class Sampler {
 public:
  virtual ~Sampler() = default;

  /// Takes the weights of the moment; needed before the first sample and after they have changed.
  virtual void take_weights() = 0;

  /// Draws an action for every row; writes choices (B, K) int32 and log_prob (B).
  virtual void sample(const Observation& observation, const SampleKey& key, torch::Tensor choices,
                      torch::Tensor log_prob) = 0;
};

/// For `batch` searches of `nodes` nodes. Where half precision is allowed, and possible on a GPU, the solver's network
/// does it, twice as fast as the one that learns; otherwise the latter itself. Both references must outlive the
/// sampler, which keeps the stream of the moment.
std::unique_ptr<Sampler> make_sampler(const PolicyNetwork& policy, const Parameters& parameters, int nodes, int batch,
                                      bool half_allowed);

}  // namespace neuopt::train
