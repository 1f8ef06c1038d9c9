// One layer of the policy's encoder or of the critic: attention and a feed-forward network, each with a residual
// connection and an instance norm.
#pragma once

#include <torch/types.h>

#include "train/ops.h"

namespace neuopt::train {

struct LayerWeights {
  torch::Tensor query_key_value;                    // (d, 3d)
  torch::Tensor output;                             // (d, d)
  torch::Tensor feed_forward1, feed_forward_bias1;  // (d, f), (f); biases may be undefined
  torch::Tensor feed_forward2, feed_forward_bias2;  // (f, d), (d)
  ScoreMixer mixer;                                 // undefined: plain attention, scaled by the root of the key size
};

/// The positional scores of synthesis attention.
struct PositionScores {
  torch::Tensor scores;  // (H, N, N)
  torch::Tensor table;   // the same for the kernels in half precision; undefined when they are not used
};

/// x: (B, N, d), in single or half precision. `positions` is not looked at by plain attention.
torch::Tensor transformer_layer(const torch::Tensor& x, const LayerWeights& weights, const PositionScores& positions,
                                std::int64_t heads);

}  // namespace neuopt::train
