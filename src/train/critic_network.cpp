#include "train/critic_network.h"

#include <cmath>

#include "train/ops.h"

namespace neuopt::train {

CriticNetwork::CriticNetwork(const Parameters& parameters, Precision precision)
    : parameters_(parameters), architecture_(parameters.architecture()), precision_(precision) {}

torch::Tensor CriticNetwork::linear(const std::string& name, const torch::Tensor& x, Precision precision) const {
  return affine(x, parameters_[name + ".weight"].t(), parameters_[name + ".bias"], precision);
}

/// Plain attention of all nodes to all nodes, scaled by the root of the key size.
torch::Tensor CriticNetwork::attend(const torch::Tensor& x) const {
  const std::string attention = "critic.encoder.0.module.";
  const std::int64_t batch = x.size(0), nodes = x.size(1), heads = architecture_.heads;
  const torch::Tensor weights =
      torch::cat({join_heads(parameters_[attention + "W_query"]), join_heads(parameters_[attention + "W_key"]),
                  join_heads(parameters_[attention + "W_val"])},
                 1);
  const torch::Tensor joint =
      product(x, weights, precision_).view({batch, nodes, 3, heads, architecture_.head_dim()}).permute({2, 0, 3, 1, 4});
  const double scale = 1 / std::sqrt(static_cast<double>(architecture_.head_dim()));
  const torch::Tensor attention_weights = torch::softmax(torch::matmul(joint[0] * scale, joint[1].transpose(2, 3)), -1);
  const torch::Tensor attended =
      torch::matmul(attention_weights, joint[2]).transpose(1, 2).reshape({batch, nodes, architecture_.dim});
  return product(attended, parameters_[attention + "W_out"].view({architecture_.dim, architecture_.dim}), precision_);
}

/// Mean and maximum over the nodes of a half-width projection: (B, d).
torch::Tensor CriticNetwork::pool(const torch::Tensor& x) const {
  const torch::Tensor nodes = linear("critic.value_head.project_node", x, precision_) +
                              linear("critic.value_head.project_graph", x.mean(1), precision_).unsqueeze(1);
  return torch::cat({nodes.mean(1), std::get<0>(nodes.max(1))}, 1);
}

torch::Tensor CriticNetwork::head(const std::string& name, const torch::Tensor& input) const {
  const std::string mlp = "critic.value_head." + name;
  torch::Tensor x = torch::relu(linear(mlp + ".fc1", input, Precision::fp32));
  x = torch::relu(linear(mlp + ".fc2", x, Precision::fp32));
  return linear(mlp + ".fc3", x, Precision::fp32);
}

torch::Tensor CriticNetwork::values(const torch::Tensor& embeddings, const torch::Tensor& costs,
                                    const torch::Tensor& exploration) const {
  torch::Tensor x = instance_norm(embeddings + attend(embeddings));
  const torch::Tensor inner = torch::relu(linear("critic.encoder.2.module.0", x, precision_));
  x = instance_norm(x + linear("critic.encoder.2.module.2", inner, precision_));
  const torch::Tensor pooled = pool(x);
  const torch::Tensor best = costs.narrow(1, 1, 1), best_epsilon = costs.narrow(1, 2, 1);
  const torch::Tensor reward = head("reward_MLP", torch::cat({pooled, best}, 1));
  if (architecture_.problem == ProblemKind::tsp) return torch::constant_pad_nd(reward, {0, 2});
  return torch::cat({reward, head("regulation_MLP", torch::cat({pooled, best, exploration}, 1)),
                     head("bonus_MLP", torch::cat({pooled, best_epsilon}, 1))},
                    1);
}

}  // namespace neuopt::train
