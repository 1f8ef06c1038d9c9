// Rewards for what local search makes of the tours in which branches end, so that a policy learns to lead to where the
// solver's polish finds something. It knows what the polish has found so far of each search; only what a branch gains
// beyond that counts.
#pragma once

#include <torch/types.h>

#include "train/batch_environment.h"

namespace neuopt::train {

class BranchPolish {
 public:
  /// For branches of so many copies of each search.
  BranchPolish(const BatchEnvironment& branches, int group);

  /// Takes the instances of a new batch, whose branches stand where their searches do: what a polish makes of these
  /// tours is what is known from now on.
  void begin_batch(const BatchEnvironment& branches);

  /// Replaces the improvements among the rewards (n, B * G, 3) of the steps by which the branches came here: those of
  /// the last step are what a polish now finds, or the branch found by itself, beyond what was known of the search, the
  /// others 0. Then the first branch's finding is what is known. Nothing waits for the device.
  void reward_ends(const BatchEnvironment& branches, const torch::Tensor& rewards);

  /// (B) double: the best costs known.
  torch::Tensor known() const { return known_.select(1, 0); }

 private:
  void find_neighbours(const torch::Tensor& places);
  torch::Tensor look(const BatchEnvironment& branches);

  const std::int64_t group_;
  const int depots_;
  torch::Tensor lists_;      // (B, customers, count) int32: search nodes, nearest first
  torch::Tensor views_;      // (B * G * ..) uint8: local::NeighbourView, into the lists
  torch::Tensor known_;      // (B, 1) double
  torch::Tensor order_;      // (B * G, N) int32: where polished tours go
  torch::Tensor cost_;       // (B * G) double
  torch::Tensor workspace_;  // of the polish on a GPU
};

}  // namespace neuopt::train
