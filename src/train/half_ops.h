// Training in half precision on a GPU: activations and their gradients are half numbers, weights and their gradients
// single precision. Sums inside products, norms and the softmax are single precision throughout; what several uses of
// an activation add to its gradient is not.
//
// A row's gradient is small when the loss is a mean over thousands of rows. The loss is therefore multiplied by
// half_loss_scale before the backward pass, and the weights' gradients divided by it after.
#pragma once

#include <torch/types.h>

#include "policy/architecture.h"
#include "train/layer.h"

namespace neuopt::train {

/// Whether this build, device, network and size can be trained in half precision.
bool half_supported(torch::Device device, const policy::Architecture& architecture, int nodes);

/// What the loss over so many rows is multiplied by; a power of two.
double half_loss_scale(std::int64_t rows);

/// x: (..., in) half, weight: (in, out) float. Returns (..., out) half.
torch::Tensor half_product(const torch::Tensor& x, const torch::Tensor& weight);

/// The positional scores (H, N, N) as the attention kernels read them. No gradient flows through it.
torch::Tensor half_position_table(const torch::Tensor& position_scores);

/// See transformer_layer. x: (B, N, d) half.
torch::Tensor half_transformer_layer(const torch::Tensor& x, const LayerWeights& weights,
                                     const PositionScores& positions);

}  // namespace neuopt::train
