// The critic: values of states from node embeddings. It learns from detached embeddings, so that its loss leaves the
// policy alone.
#pragma once

#include <torch/torch.h>

#include "policy/architecture.h"
#include "train/parameters.h"
#include "train/products.h"

namespace neuopt::train {

class CriticNetwork {
 public:
  /// The parameters must outlive the network.
  CriticNetwork(const Parameters& parameters, Precision precision);

  /// embeddings: (B, N, d), already detached; costs: (B, 3) current, best, best epsilon-feasible; exploration: (B, 9).
  /// Returns (B, 3): the values of the reward, the regulation and the bonus; the last two are 0 for the TSP.
  torch::Tensor values(const torch::Tensor& embeddings, const torch::Tensor& costs,
                       const torch::Tensor& exploration) const;

 private:
  torch::Tensor attend(const torch::Tensor& x) const;
  torch::Tensor pool(const torch::Tensor& x) const;
  torch::Tensor head(const std::string& name, const torch::Tensor& input) const;
  torch::Tensor linear(const std::string& name, const torch::Tensor& x, Precision precision) const;

  const Parameters& parameters_;
  policy::Architecture architecture_;
  Precision precision_;
};

}  // namespace neuopt::train
