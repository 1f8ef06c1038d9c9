// Decoding for a batch: which positions may be chosen, what the streams read next, and sampling. All positions are in
// the current tours; choices are positions too.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace neuopt::train {

/// What follows from recorded choices (B, K), for evaluating all decoding steps at once.
struct DecodePlan {
  torch::Tensor legal;       // (B, K, N) bool: what could be chosen at each step; all true after the E-move
  torch::Tensor active;      // (B, K) bool: false after the E-move
  torch::Tensor move_input;  // (B, K - 1) int64: position read by stream mu at steps 2..K
  torch::Tensor edge_input;  // (B, K - 1) int64: position read by stream lambda at steps 2..K
};

/// choices: (B, K) int32; previous_anchor: (B) int32 positions, -1 for none. fixed_k leaves out the E-move unless it is
/// the only choice. masked: what the network saw, (B, N, features), where a model has masking (env/masking.h);
/// undefined for all others.
DecodePlan plan_decoding(const torch::Tensor& choices, const torch::Tensor& previous_anchor, int nodes, bool fixed_k,
                         const torch::Tensor& masked = {});

/// What masking reads of the features that the network saw: all, or nothing for a model without.
inline torch::Tensor masked_by(bool masking, const torch::Tensor& features) {
  return masking ? features : torch::Tensor();
}

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

/// Draws decoding step k (from 0) for every row. scores: (B, N), of which logits are bound * tanh, on the device of the
/// choices. Reads choices[:, :k], writes choices[:, k] (the anchor once the action is closed) and adds to log_prob (B).
/// Also writes the positions that the two streams read at the next step, next_move_input and next_edge_input: (B)
/// int32. masked: as above.
void sample_choice(const float* scores, int nodes, int k, const torch::Tensor& previous_anchor, bool fixed_k,
                   const torch::Tensor& masked, float bound, const SampleKey& key, torch::Tensor& choices,
                   torch::Tensor& log_prob, torch::Tensor& next_move_input, torch::Tensor& next_edge_input);

}  // namespace neuopt::train
