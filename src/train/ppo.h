// Proximal policy optimisation on a chunk of n search steps (Algorithm 1 of the paper, the inner loop).
#pragma once

#include <torch/torch.h>

#include "train/critic_network.h"
#include "train/policy_network.h"

namespace neuopt::train {

struct PpoOptions {
  double gamma = 0.999;     // discount
  double clip = 0.1;        // of the ratio of probabilities
  double value_clip = 0.1;  // of the values, around those of the first inner epoch
  int inner_epochs = 3;
};

/// n steps of B searches, as rolled out.
struct Chunk {
  Observation states;      // of n * B states, step by step
  Observation last;        // of the B states after the last step
  torch::Tensor choices;   // (n * B, K) int32
  torch::Tensor log_prob;  // (n * B) when it was rolled out
  torch::Tensor rewards;   // (n, B, 3)
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

/// n-step returns: rewards (n, B, 3) and the values of the states after them (B, 3).
torch::Tensor n_step_returns(const torch::Tensor& rewards, const torch::Tensor& bootstrap, double gamma);

/// The loss of one inner epoch, ready for backward. old_values (n, B, 3) are those of the first inner epoch; undefined
/// in the first one.
LossParts chunk_loss(const PolicyNetwork& policy, const CriticNetwork& critic, const Chunk& chunk,
                     const DecodePlan& plan, const torch::Tensor& old_values, const PpoOptions& options);

/// Sets the gradients of all parameters to those of a loss over so many rows.
void find_gradients(Parameters& parameters, const torch::Tensor& loss, std::int64_t rows, Precision precision);

}  // namespace neuopt::train
