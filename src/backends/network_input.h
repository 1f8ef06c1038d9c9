// What every host backend needs to run the network on a given state.
#pragma once

#include <span>
#include <vector>

#include "backends/action_builder.h"
#include "policy/backend.h"

namespace neuopt::backends {

/// The tour of a NetworkInput with the positions of its nodes.
class InputTour {
 public:
  /// Throws InputError when `order` is not a permutation of the nodes that begins at node 0.
  explicit InputTour(const policy::NetworkInput& input);

  std::span<const int> position() const { return position_; }
  kopt::TourView view() { return {static_cast<int>(order_.size()), order_.data(), position_.data()}; }

 private:
  std::vector<int> order_, position_;
};

/// Choice k of the input. Throws InputError when there is none or it is not legal at this point.
int recorded_choice(const policy::NetworkInput& input, const ActionBuilder& builder, int k);

/// Adds one decision to the output: the log-probability of the node chosen and the entropy, as in the traces. `logits`
/// (N) are kIllegalLogit where a choice is not legal.
void add_decision(std::span<const double> logits, int choice, int max_moves, policy::NetworkOutput& output);

}  // namespace neuopt::backends
