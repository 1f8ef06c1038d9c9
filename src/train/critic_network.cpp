#include "train/critic_network.h"

#include "train/products.h"

namespace neuopt::train {

CriticNetwork::CriticNetwork(const Parameters& parameters)
    : parameters_(parameters), architecture_(parameters.architecture()) {}

torch::Tensor CriticNetwork::linear(const std::string& name, const torch::Tensor& x) const {
  return affine(x, parameters_[name + ".weight"].t(), parameters_[name + ".bias"]);
}

LayerWeights CriticNetwork::layer_weights() const {
  const std::string attention = "critic.encoder.0.module.", feed_forward = "critic.encoder.2.module.";
  LayerWeights weights;
  weights.query_key_value = join_query_key_value(parameters_[attention + "W_query"], parameters_[attention + "W_key"],
                                                 parameters_[attention + "W_val"]);
  weights.output = parameters_[attention + "W_out"].view({architecture_.dim, architecture_.dim});
  weights.feed_forward1 = parameters_[feed_forward + "0.weight"].t();
  weights.feed_forward_bias1 = parameters_[feed_forward + "0.bias"];
  weights.feed_forward2 = parameters_[feed_forward + "2.weight"].t();
  weights.feed_forward_bias2 = parameters_[feed_forward + "2.bias"];
  return weights;
}

/// Mean and maximum over the nodes of a half-width projection, each moved by a projection of the mean node: (B, d).
torch::Tensor CriticNetwork::pool(const torch::Tensor& x) const {
  const std::string node = "critic.value_head.project_node";
  const torch::Tensor nodes = product(x, parameters_[node + ".weight"].t());
  const torch::Tensor mean = nodes.mean({1}, false, torch::kFloat32);
  const torch::Tensor largest = std::get<0>(nodes.max(1)).to(torch::kFloat32);
  const torch::Tensor shift =
      parameters_[node + ".bias"] + linear("critic.value_head.project_graph", x.mean({1}, false, torch::kFloat32));
  return torch::cat({mean + shift, largest + shift}, 1);
}

torch::Tensor CriticNetwork::head(const std::string& name, const torch::Tensor& input) const {
  const std::string mlp = "critic.value_head." + name;
  torch::Tensor x = torch::relu(linear(mlp + ".fc1", input));
  x = torch::relu(linear(mlp + ".fc2", x));
  return linear(mlp + ".fc3", x);
}

torch::Tensor CriticNetwork::pooled_layer(const torch::Tensor& embeddings) const {
  return pool(transformer_layer(embeddings, layer_weights(), {}, architecture_.heads));
}

torch::Tensor CriticNetwork::reward_value(const torch::Tensor& embeddings, const torch::Tensor& number) const {
  return head("reward_MLP", torch::cat({pooled_layer(embeddings), number}, 1));
}

torch::Tensor CriticNetwork::values(const torch::Tensor& embeddings, const torch::Tensor& costs,
                                    const torch::Tensor& exploration) const {
  const torch::Tensor pooled = pooled_layer(embeddings);
  const torch::Tensor best = costs.narrow(1, 1, 1), best_epsilon = costs.narrow(1, 2, 1);
  const torch::Tensor reward = head("reward_MLP", torch::cat({pooled, best}, 1));
  if (!traits(architecture_.problem).constrained) return torch::constant_pad_nd(reward, {0, 2});
  return torch::cat({reward, head("regulation_MLP", torch::cat({pooled, best, exploration}, 1)),
                     head("bonus_MLP", torch::cat({pooled, best_epsilon}, 1))},
                    1);
}

}  // namespace neuopt::train
