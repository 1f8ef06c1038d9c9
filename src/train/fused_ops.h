// The operations of ops.h on GPU tensors, through our kernels, with their own backward passes.
#pragma once

#include <torch/types.h>

#include "train/ops.h"

namespace neuopt::train {

/// Whether the fused version exists for these tensors: on a GPU, in single precision (keys of the scores also in half),
/// of sizes the kernels are written for.
bool fused_attention_supported(const torch::Tensor& query_key_value, const torch::Tensor& position_scores);
bool fused_scores_supported(const torch::Tensor& keys, const torch::Tensor& queries);

torch::Tensor fused_synthesis_attention(const torch::Tensor& query_key_value, const torch::Tensor& position_scores,
                                        const ScoreMixer& mixer);
torch::Tensor fused_stream_scores(const torch::Tensor& keys, const torch::Tensor& queries,
                                  const torch::Tensor& output_weights);

}  // namespace neuopt::train
