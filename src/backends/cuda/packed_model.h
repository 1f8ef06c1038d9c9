// The policy's weights as the half-precision kernels read them: matrices in the order of the tensor cores' operands,
// small vectors in single precision.
#pragma once

#include <cstdint>
#include <vector>

#include "core/host_device.h"
#include "policy/model.h"

namespace neuopt::backends::cuda {

inline constexpr int kDim = 128;     // d
inline constexpr int kHeads = 4;     // H
inline constexpr int kHeadDim = 32;  // d / H
inline constexpr int kEmbedHidden = kDim / 2;
inline constexpr int kMaxLayers = 4;
inline constexpr int kFewFeatures = 8;      // of a node; the embedding reads them in pairs
inline constexpr int kMaxFeatures = 16;     // twice as many take twice the inputs
inline constexpr int kKeyWidth = 4 * kDim;  // K1, K3, K2, K4 side by side

/// Whether the half-precision kernels are written for this network.
bool packed_supported(const policy::Architecture& architecture);

/// Offsets of the parts in PackedModel, in bytes (all multiples of 16).
struct PackedOffsets {
  std::size_t embed1, embed1_bias, embed2, embed2_bias;
  std::size_t mixer[kMaxLayers];  // MixerWeights
  struct Layer {
    std::size_t key, value, query, output, feed_forward1, feed_forward2;
  } layer[kMaxLayers];       // StagedMatrix, one after the other, in this order; key and value packed side by side
  std::size_t decoder_keys;  // StagedMatrix (d, 4d), right behind, packed side by side
  std::size_t initial_hidden, initial_hidden_bias;
  std::size_t first_input;  // (d) float
  struct Stream {
    std::size_t input, hidden;                           // (d, 3d) gates r, z, n
    std::size_t input_bias, hidden_bias;                 // (3d) float
    std::size_t queries;                                 // (d, 2d)
  } stream[2];                                           // mu, lambda
  std::size_t output_weights;                            // (2d) float; TSP
  std::size_t hyper1, hyper1_bias, hyper2, hyper2_bias;  // (8, 9), (8), (2d, 8), (2d) float; GIRE
};

/// The perceptron that mixes scores. Its outputs are in units of ln 2: the softmax takes powers of 2.
struct MixerWeights {
  float weight1[8][8];  // units x inputs, products first
  float weight2[4][8];  // heads x units
  float bias1[8];
  float bias2[4];
  float padding[4];
};

/// Column of a matrix that lies at `place` where matrices are packed side by side: of each 32 columns a lane then holds
/// 8 neighbours, in four tiles.
constexpr int column_side_by_side(int place) {
  return place / 32 * 32 + place % 8 / 2 * 8 + place % 32 / 8 * 2 + place % 2;
}

/// How one number of the packed weights comes from the flat array of a model's weights.
struct PackedNumber {
  enum class As : std::uint32_t { single, half, half_rest };  // rest: what rounding to a half leaves over, as a half
  std::uint32_t at;                                           // where it lies, in bytes
  std::uint32_t source;
  float factor;
  As as;
};

/// The layout of the packed weights of an architecture. What no number describes is zero.
struct PackingPlan {
  PackedOffsets at{};
  std::size_t size = 0;  // in bytes
  std::vector<PackedNumber> numbers;
};

PackingPlan plan_packing(const policy::Architecture& architecture);

/// A model packed on the host.
struct PackedModel {
  PackedOffsets at{};
  std::vector<std::uint8_t> bytes;
};

PackedModel pack_model(const policy::Model& model);

/// Tiles of 16 nodes.
NEUOPT_HD constexpr int node_tiles(int nodes) { return (nodes + 15) / 16; }

/// Positional scores of all pairs of nodes for all heads in half precision, in the order in which the mixer's lanes
/// read them: [tile of 16 queries][tile of 16 keys][keys 0-7 or 8-15][even or odd keys][lane] x 16 bytes. With
/// g = lane / 4 and t = lane % 4 these are heads 0, 1 of queries g and g + 8 with key 2 (t ^ 1) (or the next), then
/// heads 2, 3. Why t ^ 1: see JointMixer. This is the place of one score, counted in halves.
NEUOPT_HD constexpr std::size_t position_place(int nodes, int query, int key, int head) {
  const int tile = query / 16 * node_tiles(nodes) + key / 16;
  const int lane = query % 8 * 4 + (key % 8 / 2 ^ 1);
  const int part = head / 2 * 2 + query % 16 / 8;
  return static_cast<std::size_t>((((tile * 2 + key % 16 / 8) * 2 + key % 2) * 32 + lane) * 8 + part * 2 + head % 2);
}

/// The scores (heads, nodes, nodes) of the model's positional encoding in that order, on the host.
std::vector<std::uint16_t> pack_position_scores(const policy::Model& model, int nodes);

constexpr std::size_t position_bytes(int nodes) {
  return sizeof(std::uint16_t) * kHeads * 256 * static_cast<std::size_t>(node_tiles(nodes) * node_tiles(nodes));
}

}  // namespace neuopt::backends::cuda
