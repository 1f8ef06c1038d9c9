// The critic: values of states from node embeddings. It learns from detached embeddings, so that its loss leaves the
// policy alone.
#pragma once

#include <torch/types.h>

#include "policy/architecture.h"
#include "train/layer.h"
#include "train/parameters.h"

namespace neuopt::train {

class CriticNetwork {
 public:
  /// The parameters must outlive the network.
  explicit CriticNetwork(const Parameters& parameters);

  /// embeddings: (B, N, d), already detached, in single or half precision; costs: (B, 3) current, best, best
  /// epsilon-feasible; exploration: (B, 9). Returns (B, 3): the values of the reward, the regulation and the bonus; the
  /// last two are 0 for the TSP.
  torch::Tensor values(const torch::Tensor& embeddings, const torch::Tensor& costs,
                       const torch::Tensor& exploration) const;

  /// (B, 1): the first of these alone, with another number (B, 1) in the place of the best cost.
  torch::Tensor reward_value(const torch::Tensor& embeddings, const torch::Tensor& number) const;

 private:
  LayerWeights layer_weights() const;
  torch::Tensor pooled_layer(const torch::Tensor& embeddings) const;
  torch::Tensor pool(const torch::Tensor& x) const;
  torch::Tensor head(const std::string& name, const torch::Tensor& input) const;
  torch::Tensor linear(const std::string& name, const torch::Tensor& x) const;

  const Parameters& parameters_;
  policy::Architecture architecture_;
};

}  // namespace neuopt::train
