// The policy network for training. Rows are in tour order (see ops.h); every function works on a batch.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "policy/architecture.h"
#include "train/batch_environment.h"
#include "train/decoding.h"
#include "train/layer.h"
#include "train/parameters.h"
#include "train/products.h"

namespace neuopt::train {

/// The weights in the form that the products take, and what depends on weights alone. Made once for many forward
/// passes with the same weights; under autograd, gradients flow back to the parameters.
struct PreparedPolicy {
  struct Stream {  // GRU and queries of mu or lambda
    torch::Tensor weight_input, weight_hidden, bias_input, bias_hidden;
    torch::Tensor queries;  // (d, 2d)
  };
  torch::Tensor embed1, embed_bias1, embed2, embed_bias2;
  PositionScores positions;
  std::vector<LayerWeights> layers;
  torch::Tensor decoder_keys;  // (d, 4d): K1, K3, K2, K4
  Stream move, edge;
  torch::Tensor initial_hidden, initial_hidden_bias;  // (d, d), (d)
  torch::Tensor first_input;                          // (d)
  torch::Tensor output_weights;                       // (1, 2d): v1, v2; undefined with the hypernetwork
  torch::Tensor hyper1, hyper_bias1, hyper2, hyper_bias2;
  torch::Tensor prospects;  // (K, features): the table's row of each decoding step; undefined in a network without
};

/// Log-probability and mean entropy of recorded actions.
struct Evaluation {
  torch::Tensor log_prob;  // (B)
  torch::Tensor entropy;   // (B): sum over the decoding steps taken, divided by K
};

class PolicyNetwork {
 public:
  /// `nodes` is N. The parameters must outlive the network.
  PolicyNetwork(const Parameters& parameters, int nodes, Precision precision);

  PreparedPolicy prepare() const;

  /// What follows from choices (B, K) int32 made in these states.
  DecodePlan plan(const Observation& states, const torch::Tensor& choices) const {
    return plan_decoding(architecture_, states, choices);
  }

  /// features: (B, N, features). Returns the node embeddings (B, N, d), in half precision when the network uses it.
  torch::Tensor encode(const PreparedPolicy& prepared, const torch::Tensor& features) const;

  /// choices: (B, K) int32 positions, plan: what follows from them, exploration: (B, 9). The entropy has a gradient
  /// only where it is to be learned.
  Evaluation evaluate(const PreparedPolicy& prepared, const torch::Tensor& embeddings, const DecodePlan& plan,
                      const torch::Tensor& exploration, const torch::Tensor& choices, bool learn_entropy = false) const;

  /// Logits (B, K, N) of the decoding steps of recorded choices, C * tanh(score), nothing masked.
  torch::Tensor logits(const PreparedPolicy& prepared, const torch::Tensor& embeddings, const DecodePlan& plan,
                       const torch::Tensor& exploration) const;

  /// Draws an action for every row; writes choices (B, K) int32 and log_prob (B). Not for use under autograd.
  void sample(const PreparedPolicy& prepared, const Observation& observation, const SampleKey& key,
              torch::Tensor choices, torch::Tensor log_prob) const;

  /// (H, N, N): what pairs of positions add to the attention, before mixing.
  torch::Tensor position_scores() const;

 private:
  torch::Tensor output_weights(const PreparedPolicy& prepared, const torch::Tensor& exploration) const;
  torch::Tensor initial_state(const PreparedPolicy& prepared, const torch::Tensor& embeddings) const;
  torch::Tensor next_state(const PreparedPolicy::Stream& stream, const torch::Tensor& input, const torch::Tensor& state,
                           const torch::Tensor& initial) const;
  torch::Tensor stream_states(const PreparedPolicy::Stream& stream, const torch::Tensor& first_input,
                              const torch::Tensor& inputs, const torch::Tensor& initial) const;

  const Parameters& parameters_;
  policy::Architecture architecture_;
  Precision precision_;
  torch::Tensor encoding_;  // (N, d) cyclic positional encoding
};

}  // namespace neuopt::train
