// Matrix products of activations with weights, in the precision that a run allows.
#pragma once

#include <torch/torch.h>

#include <string>

namespace neuopt::train {

/// What the large products may round their inputs to; sums are in single precision always.
enum class Precision { fp32, tf32, bf16 };

/// "fp32", "tf32" or "bf16"; throws InputError otherwise.
Precision parse_precision(const std::string& name);

/// Tells LibTorch whether single precision products may use tf32. For the whole process.
void apply_precision(Precision precision);

/// x: (..., in), weight: (in, out). Returns (..., out), in single precision.
torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight, Precision precision);

/// product(x, weight) + bias.
torch::Tensor affine(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                     Precision precision);

/// Per-head matrices (H, d, head_dim) as one matrix (d, H * head_dim), heads side by side.
torch::Tensor join_heads(const torch::Tensor& weight);

/// rows[b, m] = x[b, index[b, m]]. x: (B, N, d), index: (B, M) int64. Its gradient is summed in a fixed order.
torch::Tensor select_rows(const torch::Tensor& x, const torch::Tensor& index);

}  // namespace neuopt::train
