// The encoder for one tour at a time, in tour order: row p of every matrix is the node at position p. The network does
// not depend on the numbering of the nodes, and in this order the positional scores are a constant table.
#pragma once

#include <memory>
#include <span>

#include "backends/cpu/network.h"

namespace neuopt::backends::cpu {

/// What the encoder computes of a node's features alone: its embedding and the first layer's query, key and value. It
/// is kept by node, and a row stays valid as long as the node's features are the same. For the TSP that is until the
/// next augmentation, for the CVRP until an exchange touches the node's route.
struct NodeCache {
  int nodes = 0;
  AlignedFloats features;         // (N, features) that the rows were computed for
  AlignedFloats embedding;        // (N, width)
  AlignedFloats query_key_value;  // (N, 3 H head_width)

  /// Bytes for one tour.
  static std::size_t bytes(const Network& network, int nodes);
};

/// Owns the memory that encoding needs; one for each thread.
class Encoder {
 public:
  /// `half`: products in bf16; the network must have been prepared for it.
  Encoder(std::shared_ptr<const Network> network, const Kernels& kernels, bool half);

  /// Embeddings (N, width) in tour order, for features (N, features) in node order. Refreshes the cache.
  void encode(std::span<const float> features, std::span<const int> order, NodeCache& cache, float* embeddings);

  /// Decoder keys (N, 4 width) of embeddings.
  void write_keys(const float* embeddings, int nodes, float* keys);

 private:
  void multiply(Matmul product);
  void reserve(int nodes);
  void refresh(std::span<const float> features, NodeCache& cache);
  void gather(std::span<const int> order, const NodeCache& cache, float* embeddings);
  void attend(int layer, int nodes, float* x);
  void feed_forward(const EncoderLayer& layer, int nodes, float* x);

  std::shared_ptr<const Network> network_;
  const Kernels& kernels_;
  bool half_;
  std::shared_ptr<const PositionTable> table_;  // of the last number of nodes

  // Rows have room for a whole block of transposition at the end.
  AlignedFloats query_key_value_;  // (3 H, N, head_width)
  AlignedFloats key_;              // (H, head_width, padded_nodes)
  AlignedFloats attended_;         // (N, H head_width)
  AlignedFloats hidden_;           // (N, feed_forward)
  AlignedFloats attention_scratch_;
  AlignedVector<std::uint16_t> half_rows_;           // the left factor of a bf16 product
  AlignedFloats changed_features_, changed_hidden_;  // rows of the nodes to refresh
  AlignedFloats changed_embedding_, changed_query_key_value_;
  std::vector<int> changed_;
};

}  // namespace neuopt::backends::cpu
