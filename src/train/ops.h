// The operations of the network that deserve more than a chain of library calls. Each has a plain version in terms of
// LibTorch (any device, the definition) and, on a GPU, all but the norm a fused one whose backward pass recomputes
// instead of storing.
//
// Rows are in tour order: row p of every (B, N, ...) tensor belongs to the node at position p. The network does not
// depend on the numbering of nodes, and in this order the positional scores are one constant table.
#pragma once

#include <torch/types.h>

namespace neuopt::train {

/// The two-layer perceptron that mixes 2H scores into H: (2H, 2H), (2H), (H, 2H), (H).
struct ScoreMixer {
  torch::Tensor weight1, bias1, weight2, bias2;
};

/// Its parameters from one tensor in which they lie one after the other, as kernels write gradients.
ScoreMixer split_mixer(const torch::Tensor& parameters, std::int64_t heads);

/// Synthesis attention before the output projection. query_key_value: (B, N, 3d), each of the three with its H heads
/// side by side; position_scores: (H, N, N). For each pair, H products of query and key beside H positional scores are
/// mixed into H; softmax over keys; times value. Returns (B, N, d).
torch::Tensor synthesis_attention(const torch::Tensor& query_key_value, const torch::Tensor& position_scores,
                                  const ScoreMixer& mixer);

/// Scores of the dual-stream decoder. keys: (B, N, 4d) = [K1 h, K3 h, K2 h, K4 h]; queries: (B, K, 4d) = [Q1 mu,
/// Q3 mu, Q2 lambda, Q4 lambda]; output_weights: (B or 1, 2d) = [v1, v2]. Returns (B, K, N):
/// v1 . tanh(K1 h + Q1 mu + K3 h * Q3 mu) + v2 . tanh(K2 h + Q2 lambda + K4 h * Q4 lambda).
torch::Tensor stream_scores(const torch::Tensor& keys, const torch::Tensor& queries,
                            const torch::Tensor& output_weights);

/// Mean 0 and unbiased variance 1 over all nodes and channels of an instance, epsilon 1e-5. x: (B, N, d).
torch::Tensor instance_norm(const torch::Tensor& x);

/// Whether fused kernels are used where they exist (GPU tensors, supported sizes). On by default; tests switch it.
void set_fused(bool enabled);
bool fused_enabled();

}  // namespace neuopt::train
