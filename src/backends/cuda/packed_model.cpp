#include "backends/cuda/packed_model.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <span>
#include <string>

#include "policy/positional_encoding.h"

namespace neuopt::backends::cuda {
namespace {

/// Element (input k, output n) of a matrix.
using Element = std::function<float(int k, int n)>;

class Packer {
 public:
  std::vector<std::uint8_t> bytes;

  std::size_t floats(std::span<const float> values) {
    const std::size_t at = reserve(values.size_bytes());
    std::memcpy(bytes.data() + at, values.data(), values.size_bytes());
    return at;
  }

  /// The layout of PackedMatrix: [output tile][pair of steps][lane] x {b0, b1 of the first step, b0, b1 of the second}.
  std::size_t matrix(int inputs, int outputs, const Element& element) {
    return tiles(inputs, outputs, element, [](int lane, int i) {
      const int part = i / 2;
      return Spot{16 * (part / 2) + 8 * (part % 2) + 2 * (lane % 4) + i % 2, lane / 4};
    });
  }

  /// The layout of StagedMatrix: [output tile][8 inputs][output] x 8 inputs.
  std::size_t staged_matrix(int inputs, int outputs, const Element& element) {
    return tiles(inputs, outputs, element, [](int row, int i) { return Spot{row / 8 * 8 + i, row % 8}; });
  }

 private:
  /// An element within 32 inputs and 8 outputs.
  struct Spot {
    int input, output;
  };

  /// For each tile of 8 outputs and each 32 inputs, 32 groups of 8 numbers; spot(group, i) says which.
  template <class SpotOf>
  std::size_t tiles(int inputs, int outputs, const Element& element, const SpotOf& spot) {
    const std::size_t at = reserve(static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs) * 2);
    std::vector<std::uint16_t> halves;
    halves.reserve(static_cast<std::size_t>(inputs * outputs));
    for (int tile = 0; tile < outputs / 8; ++tile)
      for (int first = 0; first < inputs; first += 32)
        for (int group = 0; group < 32; ++group)
          for (int i = 0; i < 8; ++i) {
            const Spot at_spot = spot(group, i);
            halves.push_back(to_half(element(first + at_spot.input, 8 * tile + at_spot.output)));
          }
    std::memcpy(bytes.data() + at, halves.data(), halves.size() * 2);
    return at;
  }

  std::size_t reserve(std::size_t size) {
    const std::size_t at = (bytes.size() + 15) / 16 * 16;
    bytes.resize(at + size);
    return at;
  }
};

/// A linear layer stored as (outputs, inputs).
Element transposed(std::span<const float> weight, int inputs) {
  return [weight, inputs](int k, int n) { return weight[static_cast<std::size_t>(n * inputs + k)]; };
}

/// An attention projection stored as (H, d, head_dim), heads side by side.
Element projection(std::span<const float> weight) {
  return [weight](int k, int n) {
    return weight[static_cast<std::size_t>(((n / kHeadDim) * kDim + k) * kHeadDim + n % kHeadDim)];
  };
}

/// A matrix stored as (inputs, outputs).
Element straight(std::span<const float> weight, int outputs) {
  return [weight, outputs](int k, int n) { return weight[static_cast<std::size_t>(k * outputs + n)]; };
}

Element side_by_side(const Element& element) {
  return [element](int k, int n) { return element(k, column_side_by_side(n)); };
}

/// The first embedding layer with 32 inputs: the features' high parts, their low parts, and the high parts again for
/// the low parts of the weights. Sums of half products then are as exact as single precision.
Element split_embedding(std::span<const float> weight, int features) {
  return [weight, features](int k, int n) {
    const int feature = k % 8;
    if (feature >= features || k >= 24) return 0.0f;
    const float value = weight[static_cast<std::size_t>(n * features + feature)];
    const float high = from_half(to_half(value));
    return k < 16 ? high : value - high;
  };
}

MixerWeights mixer_weights(const policy::Weights& w, const std::string& attention) {
  const auto weight1 = w[attention + "score_aggr.0.weight"], weight2 = w[attention + "score_aggr.2.weight"];
  const auto bias1 = w[attention + "score_aggr.0.bias"], bias2 = w[attention + "score_aggr.2.bias"];
  constexpr auto kLog2e = std::numbers::log2e_v<float>;
  MixerWeights mixer{};
  for (int m = 0; m < 8; ++m) {
    for (int x = 0; x < 8; ++x) mixer.weight1[m][x] = weight1[static_cast<std::size_t>(m * 8 + x)];
    for (int h = 0; h < 4; ++h) mixer.weight2[h][m] = kLog2e * weight2[static_cast<std::size_t>(h * 8 + m)];
    mixer.bias1[m] = bias1[static_cast<std::size_t>(m)];
  }
  for (int h = 0; h < 4; ++h) mixer.bias2[h] = kLog2e * bias2[static_cast<std::size_t>(h)];
  return mixer;
}

/// In the order of use: the encoder reads all matrices from the first layer to the decoder keys as one stream.
PackedOffsets::Layer pack_layer(Packer& packer, const policy::Weights& w, int number) {
  const std::string layer = "encoder." + std::to_string(number);
  const std::string attention = layer + ".MHA_sublayer.MHA.", feed_forward = layer + ".FFandNorm_sublayer.FF.";
  PackedOffsets::Layer at{};
  at.key = packer.staged_matrix(kDim, kDim, side_by_side(projection(w[attention + "W_key"])));
  at.value = packer.staged_matrix(kDim, kDim, side_by_side(projection(w[attention + "W_val"])));
  at.query = packer.staged_matrix(kDim, kDim, projection(w[attention + "W_query"]));
  at.output = packer.staged_matrix(kDim, kDim, straight(w[attention + "W_out"], kDim));
  at.feed_forward1 = packer.staged_matrix(kDim, kDim, transposed(w[feed_forward + "0.weight"], kDim));
  at.feed_forward2 = packer.staged_matrix(kDim, kDim, transposed(w[feed_forward + "2.weight"], kDim));
  return at;
}

std::size_t pack_mixer(Packer& packer, const policy::Weights& w, int number) {
  const MixerWeights mixer = mixer_weights(w, "encoder." + std::to_string(number) + ".MHA_sublayer.MHA.");
  return packer.floats({&mixer.weight1[0][0], sizeof(mixer) / sizeof(float)});
}

/// Matrices stored as (d, d) linear layers, one beside the other.
Element joined(const policy::Weights& w, const std::vector<std::string>& names) {
  return [&w, names](int k, int n) {
    return w[names[static_cast<std::size_t>(n / kDim)]][static_cast<std::size_t>((n % kDim) * kDim + k)];
  };
}

PackedOffsets::Stream pack_stream(Packer& packer, const policy::Weights& w, const std::string& cell,
                                  const std::vector<std::string>& queries) {
  PackedOffsets::Stream at{};
  at.input = packer.matrix(kDim, 3 * kDim, transposed(w[cell + ".weight_ih"], kDim));
  at.hidden = packer.matrix(kDim, 3 * kDim, transposed(w[cell + ".weight_hh"], kDim));
  at.input_bias = packer.floats(w[cell + ".bias_ih"]);
  at.hidden_bias = packer.floats(w[cell + ".bias_hh"]);
  at.queries = packer.matrix(kDim, 2 * kDim, joined(w, queries));
  return at;
}

/// Where a positional score lies in pack_position_scores.
std::size_t position_place(int nodes, int query, int key, int head) {
  const int tile = query / 16 * node_tiles(nodes) + key / 16;
  const int lane = query % 8 * 4 + (key % 8 / 2 ^ 1);
  const int part = head / 2 * 2 + query % 16 / 8;
  return static_cast<std::size_t>((((tile * 2 + key % 16 / 8) * 2 + key % 2) * 32 + lane) * 8 + part * 2 + head % 2);
}

}  // namespace

std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const float magnitude = std::fabs(value);
  if (!(magnitude < 65520.0f)) return static_cast<std::uint16_t>(sign | (std::isnan(value) ? 0x7e00u : 0x7c00u));
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  // Scale so that the bits to keep are the integer part, round to even, and read off the encoding.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int shift = exponent - 11 < -24 ? -24 : exponent - 11;  // weight of the last kept bit
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -shift)));
  return static_cast<std::uint16_t>(sign +
                                    (shift == -24 ? units : (static_cast<std::uint32_t>(shift + 24) << 10) + units));
}

float from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  float magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VALF : NAN)
                    : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                    : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

bool packed_supported(const policy::Architecture& architecture) {
  return architecture.dim == kDim && architecture.heads == kHeads && architecture.feed_forward == kDim &&
         architecture.layers >= 1 && architecture.layers <= kMaxLayers && architecture.recurrent &&
         architecture.move_stream && architecture.edge_stream;
}

PackedModel pack_model(const policy::Model& model) {
  const policy::Weights& w = model.weights;
  const int features = model.architecture.features();
  Packer packer;
  PackedModel packed;
  PackedOffsets& at = packed.at;
  packed.layers = model.architecture.layers;
  packed.exploration_features = model.architecture.exploration_features;
  at.embed1 = packer.matrix(32, kEmbedHidden, split_embedding(w["embedder.embedder.0.weight"], features));
  at.embed1_bias = packer.floats(w["embedder.embedder.0.bias"]);
  at.embed2 = packer.matrix(kEmbedHidden, kDim, transposed(w["embedder.embedder.2.weight"], kEmbedHidden));
  at.embed2_bias = packer.floats(w["embedder.embedder.2.bias"]);
  for (int layer = 0; layer < packed.layers; ++layer) at.mixer[layer] = pack_mixer(packer, w, layer);
  for (int layer = 0; layer < packed.layers; ++layer) at.layer[layer] = pack_layer(packer, w, layer);
  const std::string decoder = "decoder.";
  const std::vector<std::string> keys = {decoder + "linear_K1.weight", decoder + "linear_K3.weight",
                                         decoder + "linear_K2.weight", decoder + "linear_K4.weight"};
  at.decoder_keys = packer.staged_matrix(kDim, kKeyWidth, side_by_side(joined(w, keys)));
  at.initial_hidden = packer.matrix(kDim, kDim, transposed(w[decoder + "init_hidden_W.weight"], kDim));
  at.initial_hidden_bias = packer.floats(w[decoder + "init_hidden_W.bias"]);
  at.first_input = packer.floats(w[decoder + "init_query_learnable"]);
  at.stream[0] = pack_stream(packer, w, decoder + "rnn1", {decoder + "linear_Q1.weight", decoder + "linear_Q3.weight"});
  at.stream[1] = pack_stream(packer, w, decoder + "rnn2", {decoder + "linear_Q2.weight", decoder + "linear_Q4.weight"});
  if (packed.exploration_features) {
    at.hyper1 = packer.floats(w[decoder + "meta_linear.0.weight"]);
    at.hyper1_bias = packer.floats(w[decoder + "meta_linear.0.bias"]);
    at.hyper2 = packer.floats(w[decoder + "meta_linear.2.weight"]);
    at.hyper2_bias = packer.floats(w[decoder + "meta_linear.2.bias"]);
  } else {
    at.output_weights = packer.floats(w[decoder + "linear_V1"]);
    packer.floats(w[decoder + "linear_V2"]);  // d is a multiple of 4: it follows without a gap
  }
  packed.bytes = std::move(packer.bytes);
  return packed;
}

std::vector<std::uint16_t> pack_position_scores(const policy::Model& model, int nodes) {
  const std::vector<double> encoding = policy::cyclic_positional_encoding(nodes, kDim);
  const auto project = [&](const std::string& name, int head) {
    const auto weight = model.weights[name];
    std::vector<double> result(static_cast<std::size_t>(nodes * kHeadDim));
    for (int p = 0; p < nodes; ++p)
      for (int k = 0; k < kDim; ++k)
        for (int c = 0; c < kHeadDim; ++c)
          result[static_cast<std::size_t>(p * kHeadDim + c)] +=
              encoding[static_cast<std::size_t>(p * kDim + k)] *
              weight[static_cast<std::size_t>((head * kDim + k) * kHeadDim + c)];
    return result;
  };
  std::vector<std::uint16_t> packed(position_bytes(nodes) / sizeof(std::uint16_t), 0);
  for (int head = 0; head < kHeads; ++head) {
    const std::vector<double> query = project("pos_encoder.W_query", head), key = project("pos_encoder.W_key", head);
    for (int i = 0; i < nodes; ++i)
      for (int j = 0; j < nodes; ++j) {
        double score = 0;
        for (int c = 0; c < kHeadDim; ++c)
          score += query[static_cast<std::size_t>(i * kHeadDim + c)] * key[static_cast<std::size_t>(j * kHeadDim + c)];
        packed[position_place(nodes, i, j, head)] = to_half(static_cast<float>(score));
      }
  }
  return packed;
}

}  // namespace neuopt::backends::cuda
