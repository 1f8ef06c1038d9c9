#include "train/ops.h"

#include <atomic>
#include <vector>

#include "train/fused_ops.h"
#include "train/ops_plain.h"

namespace neuopt::train {
namespace {

std::atomic<bool> fused_flag{true};

}  // namespace

ScoreMixer split_mixer(const torch::Tensor& parameters, std::int64_t heads) {
  const std::int64_t units = 2 * heads;
  const std::vector<torch::Tensor> parts = parameters.split_with_sizes({units * units, units, heads * units, heads});
  return {parts[0].view({units, units}), parts[1], parts[2].view({heads, units}), parts[3]};
}

torch::Tensor synthesis_attention(const torch::Tensor& query_key_value, const torch::Tensor& position_scores,
                                  const ScoreMixer& mixer) {
  if (fused_enabled() && fused_attention_supported(query_key_value, position_scores))
    return fused_synthesis_attention(query_key_value, position_scores, mixer);
  return plain_synthesis_attention(query_key_value, position_scores, mixer);
}

torch::Tensor stream_scores(const torch::Tensor& keys, const torch::Tensor& queries,
                            const torch::Tensor& output_weights) {
  if (fused_enabled() && fused_scores_supported(keys, queries))
    return fused_stream_scores(keys, queries, output_weights);
  return plain_stream_scores(keys, queries, output_weights);
}

torch::Tensor instance_norm(const torch::Tensor& x) { return plain_instance_norm(x); }

void set_fused(bool enabled) { fused_flag = enabled; }
bool fused_enabled() { return fused_flag; }

}  // namespace neuopt::train
