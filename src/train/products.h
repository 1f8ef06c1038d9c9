// Matrix products of activations with weights, in the precision that a run allows.
#pragma once

#include <torch/types.h>

#include <string>

#include "policy/architecture.h"

namespace neuopt::train {

/// The arithmetic of a run: single precision, single precision with products that may round their inputs to tf32, or
/// activations in half precision (see half_ops.h) and the rest as with tf32. Products sum in single precision always.
enum class Precision { fp32, tf32, fp16 };

/// "fp32", "tf32", "fp16" or "auto", the fastest that device, network and size allow. Throws InputError for another
/// name, and for fp16 where it cannot be had.
Precision choose_precision(const std::string& name, torch::Device device, const policy::Architecture& architecture,
                           int nodes);

/// Tells LibTorch what products may do. For the whole process.
void apply_precision(Precision precision);

/// While it lives, products round no inputs to tf32, whatever the run allows.
class FullPrecision {
 public:
  FullPrecision();
  ~FullPrecision();
  FullPrecision(const FullPrecision&) = delete;
  FullPrecision& operator=(const FullPrecision&) = delete;

 private:
  const bool tf32_before_;
};

/// x: (..., in) in single or half precision, weight: (in, out). Returns (..., out) in the precision of x.
torch::Tensor product(const torch::Tensor& x, const torch::Tensor& weight);

/// product(x, weight) + bias in single precision; an undefined bias is none.
torch::Tensor affine(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

/// The matrices of all heads (H, d, head_dim) side by side: (d, H * head_dim).
torch::Tensor join_heads(const torch::Tensor& weight);

/// The projection (d, 3d) to queries, keys and values side by side, from per-head matrices (H, d, head_dim) of each.
torch::Tensor join_query_key_value(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value);

/// rows[b, m] = x[b, index[b, m]]. x: (B, N, d), index: (B, M) int64. Its gradient is summed in a fixed order.
torch::Tensor select_rows(const torch::Tensor& x, const torch::Tensor& index);

}  // namespace neuopt::train
