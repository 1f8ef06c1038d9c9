// The operations of ops.h in terms of LibTorch: the definition that the fused versions are checked against.
#pragma once

#include "train/ops.h"

namespace neuopt::train {

torch::Tensor plain_synthesis_attention(const torch::Tensor& query_key_value, const torch::Tensor& position_scores,
                                        const ScoreMixer& mixer);

torch::Tensor plain_stream_scores(const torch::Tensor& keys, const torch::Tensor& queries,
                                  const torch::Tensor& output_weights);

torch::Tensor plain_instance_norm(const torch::Tensor& x);

}  // namespace neuopt::train
