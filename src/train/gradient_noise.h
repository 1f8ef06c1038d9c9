// How much of a gradient is signal and how much is noise, from gradients of several rollouts at the same weights.
// Squared norms of means are found without bias, from products of gradients that have nothing but the weights in
// common.
#pragma once

#include <torch/types.h>

#include <vector>

namespace neuopt::train {

struct Measured {
  double value = 0;
  double error = 0;  // standard error, by the jack-knife over the rollouts
};

/// Of the mean gradient of so many minibatches of a rollout.
struct MinibatchNoise {
  int minibatches = 1;
  Measured rows;   // from the choice of rows; all rows of a rollout would have none
  Measured total;  // that and the noise from the rollout
};

/// Squared norms of the parts of a gradient.
struct NoiseFigures {
  Measured signal;                          // the mean gradient
  Measured rollout;                         // what the gradients of a rollout share beyond that
  std::vector<MinibatchNoise> minibatches;  // for 1, 2, 4, .. where these divide those of a rollout, and for all
};

class GradientNoise {
 public:
  /// The gradients of a rollout, (2, M, P): two draws, each of M minibatches as in training, independent of each other.
  /// Minibatches of a draw have rows that are spread evenly, so k of them, evenly spread, are what training with k has.
  /// Nothing of it is kept but the mean.
  void add(const torch::Tensor& gradients);

  int rollouts() const { return static_cast<int>(means_.size()); }
  /// The mean gradient of each rollout, (R, P).
  torch::Tensor rollout_means() const { return torch::stack(means_); }

  /// Of three rollouts or more.
  NoiseFigures figures() const;

 private:
  std::vector<int> counts_;                   // of minibatches
  std::vector<torch::Tensor> means_;          // (P) of each rollout
  std::vector<double> shared_;                // of each rollout: the product of the means of its two draws
  std::vector<std::vector<double>> squares_;  // of each count: of each rollout the mean squared norm of such a mean
};

/// How far the mean gradients behind two sets of rollouts point the same way.
struct Alignment {
  Measured cosine;  // NaN where one of them was not seen through its noise
  Measured along;   // length of the first along the second; NaN where that was not seen
};

/// (R, P) and (S, P): gradients of rollouts at the same weights, two or more of each. No bias in the products that make
/// up the figures.
Alignment align(const torch::Tensor& gradients, const torch::Tensor& others);

}  // namespace neuopt::train
