#include "train/ops_plain.h"

#include <cmath>
#include <vector>

namespace neuopt::train {
namespace {

/// (B, N, H * head_dim) -> (B, H, N, head_dim)
torch::Tensor split_heads(const torch::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).permute({0, 2, 1, 3});
}

}  // namespace

torch::Tensor plain_synthesis_attention(const torch::Tensor& query_key_value, const torch::Tensor& position_scores,
                                        const ScoreMixer& mixer) {
  const std::int64_t heads = position_scores.size(0), batch = query_key_value.size(0), nodes = query_key_value.size(1);
  const std::int64_t dim = query_key_value.size(2) / 3;
  const torch::Tensor query = split_heads(query_key_value.narrow(2, 0, dim), heads);
  const torch::Tensor key = split_heads(query_key_value.narrow(2, dim, dim), heads);
  const torch::Tensor value = split_heads(query_key_value.narrow(2, 2 * dim, dim), heads);
  const std::int64_t hidden = 2 * heads, pairs = nodes * nodes;
  const torch::Tensor products = torch::matmul(query, key.transpose(2, 3)).view({batch, heads, pairs});
  // The first layer is linear in [products, positional scores], and the second half is the same for all instances.
  const torch::Tensor from_products = mixer.weight1.narrow(1, 0, heads),
                      from_position = mixer.weight1.narrow(1, heads, heads);
  const torch::Tensor offset =
      torch::addmm(mixer.bias1.unsqueeze(1), from_position, position_scores.view({heads, pairs}));
  const torch::Tensor first = torch::relu(
      torch::baddbmm(offset.unsqueeze(0), from_products.unsqueeze(0).expand({batch, hidden, heads}), products));
  const torch::Tensor mixed =
      torch::baddbmm(mixer.bias2.view({1, heads, 1}), mixer.weight2.unsqueeze(0).expand({batch, heads, hidden}), first);
  const torch::Tensor attention = torch::softmax(mixed.view({batch, heads, nodes, nodes}), -1);
  return torch::matmul(attention, value).transpose(1, 2).reshape({batch, nodes, dim});
}

torch::Tensor plain_stream_scores(const torch::Tensor& keys, const torch::Tensor& queries,
                                  const torch::Tensor& output_weights) {
  const std::int64_t dim = keys.size(2) / 4, steps = queries.size(1);
  const auto stream = [&](const torch::Tensor& query, std::int64_t first) {
    const torch::Tensor bias = query.narrow(1, first, dim).unsqueeze(1);
    const torch::Tensor gain = query.narrow(1, first + dim, dim).unsqueeze(1);
    return torch::tanh(torch::addcmul(keys.narrow(2, first, dim) + bias, keys.narrow(2, first + dim, dim), gain));
  };
  const torch::Tensor weights = output_weights.expand({keys.size(0), 2 * dim});
  const torch::Tensor move_weights = weights.narrow(1, 0, dim).unsqueeze(2);
  const torch::Tensor edge_weights = weights.narrow(1, dim, dim).unsqueeze(2);
  std::vector<torch::Tensor> scores;
  for (std::int64_t k = 0; k < steps; ++k) {  // one decoding step at a time: (B, N, d) rather than (B, K, N, d)
    const torch::Tensor query = queries.select(1, k);
    scores.push_back(
        (torch::bmm(stream(query, 0), move_weights) + torch::bmm(stream(query, 2 * dim), edge_weights)).squeeze(2));
  }
  return torch::stack(scores, 1);
}

torch::Tensor plain_instance_norm(const torch::Tensor& x) {
  // The library's layer norm divides by the biased variance: with c = M / (M - 1), x / sqrt(c var + eps) is the same as
  // x / sqrt(var + eps / c) / sqrt(c).
  const double count = static_cast<double>(x.size(1)) * static_cast<double>(x.size(2));
  const double correction = count / (count - 1);
  return torch::layer_norm(x, {x.size(1), x.size(2)}, {}, {}, 1e-5 / correction) * (1 / std::sqrt(correction));
}

}  // namespace neuopt::train
