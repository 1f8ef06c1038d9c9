// The encoder: node features and positions in, node embeddings out.
#pragma once

#include <span>

#include "backends/reference/attention.h"

namespace neuopt::backends::reference {

class Encoder {
 public:
  /// For tours of `nodes` nodes. The model must outlive the encoder.
  Encoder(const policy::Model& model, int nodes);

  /// features (N, features), position (N): embeddings (N, d).
  Matrix encode(std::span<const float> features, std::span<const int> position) const;

  /// The mixed attention scores of the first layer, before the softmax; recorded in traces.
  HeadScores first_layer_scores(std::span<const float> features, std::span<const int> position) const;

 private:
  Matrix embed(std::span<const float> features) const;

  const policy::Model& model_;
  int nodes_;
  HeadScores positional_;  // by pairs of positions
};

/// In place: minus the mean, over the root of the unbiased variance, both over all entries together.
void normalize(Matrix& x);

}  // namespace neuopt::backends::reference
