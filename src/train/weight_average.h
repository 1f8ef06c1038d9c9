// An average of the policy's weights over the rollouts of a run. Single updates are noisy and the weights wander about
// what they learn; their average does not.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "train/parameters.h"

namespace neuopt::train {

/// The mean of the weights at the start and after each rollout, until these are `span`; from then on exponential: a
/// rollout counts 1 / span, and what was there before it as much less.
class WeightAverage {
 public:
  /// A span of 0: none is kept. The parameters must outlive the average.
  WeightAverage(const Parameters& parameters, int span);

  bool kept() const { return span_ > 0; }

  /// Begins again with the weights of the moment.
  void restart();
  /// Takes in the weights after a rollout. Nothing waits for the device.
  void take();

  // State, for checkpoints and models.
  torch::Tensor weights;    // flat, as the policy's part of the parameters; undefined where none is kept
  std::int64_t counts = 0;  // weights taken in since the start, that included

 private:
  const Parameters& parameters_;
  int span_;
};

}  // namespace neuopt::train
