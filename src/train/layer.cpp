#include "train/layer.h"

#include <cmath>

#include "train/half_ops.h"
#include "train/products.h"

namespace neuopt::train {
namespace {

torch::Tensor plain_attention(const torch::Tensor& query_key_value, std::int64_t heads) {
  const std::int64_t batch = query_key_value.size(0), nodes = query_key_value.size(1),
                     dim = query_key_value.size(2) / 3;
  const torch::Tensor parts = query_key_value.view({batch, nodes, 3, heads, dim / heads}).permute({2, 0, 3, 1, 4});
  const double scale = 1 / std::sqrt(static_cast<double>(dim / heads));
  const torch::Tensor weights = torch::softmax(torch::matmul(parts[0] * scale, parts[1].transpose(2, 3)), -1);
  return torch::matmul(weights, parts[2]).transpose(1, 2).reshape({batch, nodes, dim});
}

}  // namespace

torch::Tensor transformer_layer(const torch::Tensor& x, const LayerWeights& weights, const PositionScores& positions,
                                std::int64_t heads) {
  if (x.scalar_type() == torch::kFloat16) return half_transformer_layer(x, weights, positions);
  const torch::Tensor joint = product(x, weights.query_key_value);
  const torch::Tensor attended = weights.mixer.weight1.defined()
                                     ? synthesis_attention(joint, positions.scores, weights.mixer)
                                     : plain_attention(joint, heads);
  const torch::Tensor middle = instance_norm(x + product(attended, weights.output));
  const torch::Tensor inner = torch::relu(affine(middle, weights.feed_forward1, weights.feed_forward_bias1));
  return instance_norm(middle + affine(inner, weights.feed_forward2, weights.feed_forward_bias2));
}

}  // namespace neuopt::train
