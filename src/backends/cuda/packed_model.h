// The policy's weights as the half-precision kernels read them: matrices in the order of the tensor cores' operands,
// small vectors in single precision.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/model.h"

namespace neuopt::backends::cuda {

inline constexpr int kDim = 128;     // d
inline constexpr int kHeads = 4;     // H
inline constexpr int kHeadDim = 32;  // d / H
inline constexpr int kEmbedHidden = kDim / 2;
inline constexpr int kMaxLayers = 4;
inline constexpr int kKeyWidth = 4 * kDim;  // K1, K3, K2, K4 side by side

/// Whether the half-precision kernels are written for this network.
bool packed_supported(const policy::Architecture& architecture);

/// Offsets of the parts in PackedModel, in bytes (all multiples of 16).
struct PackedOffsets {
  std::size_t embed1, embed1_bias, embed2, embed2_bias;
  std::size_t mixer[kMaxLayers];  // MixerWeights
  struct Layer {
    std::size_t key, value, query, output, feed_forward1, feed_forward2;
  } layer[kMaxLayers];       // one after the other without gaps, in this order
  std::size_t decoder_keys;  // (d, 4d), right behind
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

/// The perceptron that mixes scores, ordered by hidden unit.
struct MixerWeights {
  float input_weight[8][8];
  float output_weight[8][4];
  float bias1[8];
  float bias2[4];
  float padding[4];
};

struct PackedModel {
  PackedOffsets at{};
  std::vector<std::uint8_t> bytes;
  int layers = 0;
  bool exploration_features = false;
};

PackedModel pack_model(const policy::Model& model);

/// Positional scores (N, N, H) of the model in half precision, rows padded to position_stride(N) pairs: what a pair
/// of neighbouring keys needs is read at once.
std::vector<std::uint16_t> pack_position_scores(const policy::Model& model, int nodes);

/// Keys of a padded row: no two rows of a tile start in the same bank of shared memory.
constexpr int position_stride(int nodes) { return (nodes + 15) / 16 * 16 + 8; }

/// IEEE half of a float, rounded to nearest even.
std::uint16_t to_half(float value);
float from_half(std::uint16_t bits);

}  // namespace neuopt::backends::cuda
