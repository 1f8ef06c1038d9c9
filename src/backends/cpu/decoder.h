// The decoder for a few tours in step: their recurrent products run together, because a product with one row costs as
// much memory traffic as one with four.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backends/action_builder.h"
#include "backends/cpu/network.h"

namespace neuopt::backends::cpu {

/// One tour to decode an action for.
struct DecoderInput {
  const float* embeddings;  // (N, width) in tour order
  const float* keys;        // (N, 4 width) in tour order
  kopt::TourView tour;
  const float* exploration;         // (9) ES features; null where the network has none
  backends::ActionBuilder* action;  // new; complete afterwards
};

/// Chooses a node for tour `item` among the legal positions, given their logits. Choice k is action->step().
using Chooser = std::function<int(int item, std::span<const int> positions, std::span<float> logits)>;

/// Owns the memory that decoding needs; one for each thread.
class Decoder {
 public:
  Decoder(std::shared_ptr<const Network> network, const Kernels& kernels);

  void decode(std::span<const DecoderInput> inputs, const Chooser& choose);
  const Kernels& kernels() const { return kernels_; }

 private:
  void start(std::span<const DecoderInput> inputs);
  void advance_streams(bool first);
  void choose_nodes(std::span<const DecoderInput> inputs, const Chooser& choose);
  void add_prospects(const DecoderInput& input);
  void drop_closed(std::span<const DecoderInput> inputs);
  float* row(AlignedFloats& values, int stream, int index, int blocks = 1);

  std::shared_ptr<const Network> network_;
  const Kernels& kernels_;

  int capacity_ = 0;         // tours that the arrays below have room for
  std::vector<int> active_;  // tours whose action is open; row i below belongs to active_[i]
  // For each stream (mu, lambda), for each tour:
  AlignedFloats hidden_;                      // (width) state of the GRU
  AlignedFloats input_;                       // (width) embedding read next
  AlignedFloats input_gates_, hidden_gates_;  // (3 width)
  AlignedFloats queries_;                     // (2 width)
  AlignedFloats last_layer_;                  // (2, width) for each tour, by its index in the input
  std::vector<int> positions_;                // legal choices of one tour
  std::vector<float> logits_;
};

}  // namespace neuopt::backends::cpu
