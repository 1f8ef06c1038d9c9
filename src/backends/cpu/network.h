// The policy network's weights prepared for the kernels: packed, padded, and with constants folded in.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cpu/packed_matrix.h"
#include "policy/model.h"

namespace neuopt::backends::cpu {

/// What depends on the number of nodes alone: the positional scores in tour order, for one set of weights.
struct PositionTable {
  int nodes = 0;
  int padded_nodes = 0;
  // One of the two, see Attention.
  std::vector<AlignedFloats> folded;  // for each layer (N, padded_nodes / kBlock, 2H, kBlock)
  AlignedFloats positional;           // (N, H, padded_nodes)
};

struct EncoderLayer {
  PackedMatrix query_key_value;      // (width, 3 H head_width): all queries, all keys, all values
  PackedMatrix output;               // (H head_width, width)
  PackedMatrix feed_forward_in;      // (width, feed_forward)
  PackedMatrix feed_forward_out;     // (feed_forward, width)
  AlignedFloats hidden_weights;      // (2H, H)
  AlignedFloats positional_weights;  // (2H, H)
  AlignedFloats hidden_bias;         // (2H)
  AlignedFloats output_weights;      // (2H, H), times log2(e): the softmax works with powers of two
};

/// One of the decoder's two streams: mu (moves) or lambda (edges).
struct Stream {
  bool enabled = true;
  PackedMatrix input_gates;   // (width, 3 width) of the GRU, with bias
  PackedMatrix hidden_gates;  // (width, 3 width), with bias
  PackedMatrix queries;       // (width, 2 width): Q1 | Q3 or Q2 | Q4
};

class Network {
 public:
  /// `half`: also keep the encoder's and the keys' matrices in bf16.
  Network(const policy::Model& model, bool half);

  policy::Architecture architecture;
  int width;                         // d, padded to whole panels; the same for the others
  int hidden_width;                  // of the embedder
  int head_width;                    // of one head
  PackedMatrix embed_in, embed_out;  // (features, hidden_width), (hidden_width, width)
  std::vector<EncoderLayer> layers;
  PackedMatrix keys;  // (width, 4 width): K1 | K3 | K2 | K4, times the scale of tanh
  PackedMatrix initial_hidden;
  AlignedFloats first_input;     // (width)
  Stream streams[2];             // mu, lambda
  AlignedFloats last_layer;      // (2, width): v1, v2; empty with exploration features
  std::vector<float> prospects;  // weights of what choices lead to (env/prospects.h); empty in a network without

  /// (2, width): v1, v2 from the ES features (9).
  void last_layer_from(const float* exploration, float* out) const;

  /// Made on first use for each number of nodes.
  std::shared_ptr<const PositionTable> table(int nodes) const;

 private:
  void prepare_layer(const policy::Weights& weights, int index, bool half);
  void prepare_decoder(const policy::Weights& weights, bool half);

  std::vector<float> position_query_, position_key_;                      // (H, d, head size)
  std::vector<float> meta_in_, meta_in_bias_, meta_out_, meta_out_bias_;  // hypernetwork of the ES features
  mutable std::mutex mutex_;
  mutable std::map<int, std::shared_ptr<const PositionTable>> tables_;
};

}  // namespace neuopt::backends::cpu
