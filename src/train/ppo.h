// Losses of proximal policy optimisation: on a chunk of n search steps with a critic (Algorithm 1 of the paper, the
// inner loop), and on rows whose advantages are known.
#pragma once

#include <torch/types.h>

#include "train/critic_network.h"
#include "train/policy_network.h"
#include "train/rollout.h"

namespace neuopt::train {

struct PpoOptions {
  double gamma = 0.999;     // discount
  double clip = 0.1;        // of the ratio of probabilities
  double value_clip = 0.1;  // of the values, around those of the first inner epoch
  int inner_epochs = 3;
};

/// Everything one loss is made of, for updates, logs and checks.
struct LossParts {
  torch::Tensor log_prob, entropy;        // (n * B)
  torch::Tensor values;                   // (n, B, 3)
  torch::Tensor bootstrap;                // (B, 3)
  torch::Tensor returns;                  // (n, B, 3)
  torch::Tensor advantage;                // (n, B)
  torch::Tensor policy_loss, value_loss;  // 0-dim
};

/// n-step returns: rewards (n, ...) and the values of the states after them (...).
torch::Tensor n_step_returns(const torch::Tensor& rewards, const torch::Tensor& bootstrap, double gamma);

/// The loss of one inner epoch, ready for backward. old_values (n, B, 3) are those of the first inner epoch; undefined
/// in the first one.
LossParts chunk_loss(const PolicyNetwork& policy, const CriticNetwork& critic, const Chunk& chunk,
                     const DecodePlan& plan, const torch::Tensor& old_values, const PpoOptions& options);

/// A loss over rows that were chosen with unequal probabilities.
struct WeightedLoss {
  torch::Tensor log_prob, entropy;                // (R)
  torch::Tensor embeddings;                       // (R, N, d), detached
  torch::Tensor policy_loss, mean_entropy, loss;  // 0-dim; the loss is policy_loss - entropy_weight * mean_entropy
};

/// The clipped loss of rows with advantages (R), each row with a weight (R).
WeightedLoss weighted_loss(const PolicyNetwork& policy, const Rows& rows, const DecodePlan& plan,
                           const torch::Tensor& advantage, const torch::Tensor& weight, double clip,
                           double entropy_weight);

/// Sets the gradients of all parameters to those of a loss over so many rows.
void find_gradients(Parameters& parameters, const torch::Tensor& loss, std::int64_t rows, Precision precision);

}  // namespace neuopt::train
