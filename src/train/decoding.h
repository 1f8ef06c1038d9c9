// Decoding for a batch: which positions may be chosen, what the streams read next, and sampling. All positions are in
// the current tours; choices are positions too.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "policy/architecture.h"
#include "train/batch_environment.h"

namespace neuopt::train {

/// What follows from recorded choices (B, K), for evaluating all decoding steps at once.
struct DecodePlan {
  torch::Tensor legal;       // (B, K, N) bool: what could be chosen at each step; all true after the E-move
  torch::Tensor active;      // (B, K) bool: false after the E-move
  torch::Tensor move_input;  // (B, K - 1) int64: position read by stream mu at steps 2..K
  torch::Tensor edge_input;  // (B, K - 1) int64: position read by stream lambda at steps 2..K
  torch::Tensor prospects;   // (B, K, N, features) float: what choices lead to (env/prospects.h), in a network that is
                             // told; else undefined
};

/// choices: (B, K) int32, made in these states.
DecodePlan plan_decoding(const policy::Architecture& architecture, const Observation& states,
                         const torch::Tensor& choices);

/// Who draws: each has random numbers of its own.
enum class Stream : std::uint32_t {
  searches = 0,  // steps before learning and the rollouts of PPO, numbered through
  validation = 1,
  branches = 2,    // of group rollouts
  row_choice = 3,  // of these
  rivals = 4       // of a pool
};

/// Keys of the random numbers of one sampling: a draw is for (seed, first instance + b, stream, search step, k). What
/// changes from step to step is read on the device, so that a captured sequence of launches can be replayed.
struct SampleKey {
  std::uint64_t seed;
  Stream stream;
  torch::Tensor counters;  // (2) int64 on the device: number of the first instance, search step
};

/// Draws decoding step k (from 0) for every row. scores: (B, N) of the streams, on the device of the choices; with
/// prospects, whose table of weights is then given, what these add is added in place. Logits are the bound times their
/// tanh. Reads choices[:, :k], writes choices[:, k] (the anchor once the action is closed) and adds to log_prob (B).
/// Also writes the positions that the two streams read at the next step, next_move_input and next_edge_input: (B)
/// int32.
void sample_choice(const policy::Architecture& architecture, const Observation& states, float* scores,
                   const torch::Tensor& prospect_table, int k, const SampleKey& key, torch::Tensor& choices,
                   torch::Tensor& log_prob, torch::Tensor& next_move_input, torch::Tensor& next_edge_input);

}  // namespace neuopt::train
