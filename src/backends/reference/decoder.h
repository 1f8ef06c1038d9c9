// The decoder (RDS): two recurrent streams score every node at each step of an action.
#pragma once

#include <functional>
#include <span>

#include "backends/action_builder.h"
#include "backends/reference/matrix.h"
#include "policy/model.h"

namespace neuopt::backends::reference {

/// One of the two streams: mu follows the chosen nodes, lambda the open ends of the path.
class Stream {
 public:
  /// `number` is 1 for mu and 2 for lambda, as in the names of the tensors. `readout` is v1 or v2.
  Stream(const policy::Model& model, int number, const Matrix& embeddings, Vector initial, Vector readout);

  /// Reads the next input and moves on to the next query.
  void read(std::span<const double> input);
  /// The stream's term of the score of a node.
  double score(int node) const;

 private:
  const policy::Model& model_;
  int number_;
  Matrix additive_, multiplicative_;              // (N, d) keys
  Vector hidden_;                                 // state of the GRU, or the initial state without recurrence
  Vector readout_;                                // (d)
  Vector additive_query_, multiplicative_query_;  // (d)
};

/// What happened while an action was decoded.
struct Decoding {
  Vector logits;        // (K, N); -1e30 where a choice is not legal; 0 after the E-move
  double log_prob = 0;  // of the choices made
  double entropy = 0;   // of the distributions of the steps taken, summed and divided by K
};

/// Chooses a node for step k among (N) probabilities.
using Chooser = std::function<int(int k, std::span<const double> probability)>;

/// Decodes one action. `exploration` holds the ES features, or nothing where the network has none.
Decoding decode(const policy::Model& model, const Matrix& embeddings, std::span<const float> exploration,
                ActionBuilder& builder, const Chooser& choose);

}  // namespace neuopt::backends::reference
