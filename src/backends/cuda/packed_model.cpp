#include "backends/cuda/packed_model.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <numbers>
#include <string>

#include "core/half.h"
#include "policy/positional_encoding.h"

namespace neuopt::backends::cuda {
namespace {

using As = PackedNumber::As;

/// An element of a matrix: a weight, times a factor. Without a source it is zero.
struct Element {
  std::ptrdiff_t source = -1;
  float factor = 1;
  As as = As::half;
};

/// Element (input k, output n) of a matrix.
using Elements = std::function<Element(int k, int n)>;

/// Lays out the packed weights, one part after the other.
class Planner {
 public:
  explicit Planner(const policy::Architecture& architecture) : weights_(policy::policy_tensors(architecture)) {}

  std::size_t size = 0;  // so far
  std::vector<PackedNumber> numbers;

  /// Where a tensor begins in the flat array.
  std::ptrdiff_t source(const std::string& name) const { return weights_[name].data() - weights_.flat().data(); }

  /// A tensor as it is.
  std::size_t floats(const std::string& name) {
    const std::size_t count = weights_[name].size(), at = reserve(4 * count);
    for (std::size_t i = 0; i < count; ++i)
      add(at + 4 * i, {source(name) + static_cast<std::ptrdiff_t>(i), 1, As::single});
    return at;
  }

  /// The layout of PackedMatrix: [output tile][pair of steps][lane] x {b0, b1 of the first step, b0, b1 of the second}.
  std::size_t matrix(int inputs, int outputs, const Elements& elements) {
    return tiles(inputs, outputs, elements, [](int lane, int i) {
      const int part = i / 2;
      return Spot{16 * (part / 2) + 8 * (part % 2) + 2 * (lane % 4) + i % 2, lane / 4};
    });
  }

  /// The layout of StagedMatrix: [output tile][8 inputs][output] x 8 inputs.
  std::size_t staged_matrix(int inputs, int outputs, const Elements& elements) {
    return tiles(inputs, outputs, elements, [](int row, int i) { return Spot{row / 8 * 8 + i, row % 8}; });
  }

  std::size_t mixer(const std::string& attention) {
    constexpr auto kLog2e = std::numbers::log2e_v<float>;
    const std::size_t at = reserve(sizeof(MixerWeights));
    const auto part = [&](std::size_t offset, int count, const std::string& name, float factor) {
      for (int i = 0; i < count; ++i)
        add(at + offset + 4 * static_cast<std::size_t>(i), {source(attention + name) + i, factor, As::single});
    };
    part(offsetof(MixerWeights, weight1), 64, "score_aggr.0.weight", 1);
    part(offsetof(MixerWeights, weight2), 32, "score_aggr.2.weight", kLog2e);
    part(offsetof(MixerWeights, bias1), 8, "score_aggr.0.bias", 1);
    part(offsetof(MixerWeights, bias2), 4, "score_aggr.2.bias", kLog2e);
    return at;
  }

 private:
  /// An element within 32 inputs and 8 outputs.
  struct Spot {
    int input, output;
  };

  /// For each tile of 8 outputs and each 32 inputs, 32 groups of 8 numbers; spot(group, i) says which.
  template <class SpotOf>
  std::size_t tiles(int inputs, int outputs, const Elements& elements, const SpotOf& spot) {
    const std::size_t begin = reserve(static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs) * 2);
    std::size_t at = begin;
    for (int tile = 0; tile < outputs / 8; ++tile)
      for (int first = 0; first < inputs; first += 32)
        for (int group = 0; group < 32; ++group)
          for (int i = 0; i < 8; ++i, at += 2) {
            const Spot at_spot = spot(group, i);
            add(at, elements(first + at_spot.input, 8 * tile + at_spot.output));
          }
    return begin;
  }

  void add(std::size_t at, const Element& element) {
    if (element.source < 0) return;
    numbers.push_back(
        {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(element.source), element.factor, element.as});
  }

  std::size_t reserve(std::size_t bytes) {
    const std::size_t at = (size + 15) / 16 * 16;
    size = at + bytes;
    return at;
  }

  policy::Weights weights_;  // for names and shapes
};

/// A linear layer stored as (outputs, inputs).
Elements transposed(std::ptrdiff_t weight, int inputs) {
  return [weight, inputs](int k, int n) { return Element{weight + n * inputs + k}; };
}

/// An attention projection stored as (H, d, head_dim), heads side by side.
Elements projection(std::ptrdiff_t weight) {
  return [weight](int k, int n) { return Element{weight + ((n / kHeadDim) * kDim + k) * kHeadDim + n % kHeadDim}; };
}

/// A matrix stored as (inputs, outputs).
Elements straight(std::ptrdiff_t weight, int outputs) {
  return [weight, outputs](int k, int n) { return Element{weight + k * outputs + n}; };
}

Elements side_by_side(const Elements& elements) {
  return [elements](int k, int n) { return elements(k, column_side_by_side(n)); };
}

/// The first embedding layer with four inputs for each of 8 or 16 features: the features' high parts, their low parts,
/// and the high parts again for the low parts of the weights. Sums of half products then are as exact as single
/// precision.
Elements split_embedding(std::ptrdiff_t weight, int features, int places) {
  return [weight, features, places](int k, int n) {
    const int feature = k % places, part = k / places;
    if (feature >= features || part == 3) return Element{};
    return Element{weight + n * features + feature, 1, part < 2 ? As::half : As::half_rest};
  };
}

/// In the order of use: the encoder reads all matrices from the first layer to the decoder keys as one stream.
PackedOffsets::Layer plan_layer(Planner& plan, int number) {
  const std::string layer = "encoder." + std::to_string(number);
  const std::string attention = layer + ".MHA_sublayer.MHA.", feed_forward = layer + ".FFandNorm_sublayer.FF.";
  PackedOffsets::Layer at{};
  at.key = plan.staged_matrix(kDim, kDim, side_by_side(projection(plan.source(attention + "W_key"))));
  at.value = plan.staged_matrix(kDim, kDim, side_by_side(projection(plan.source(attention + "W_val"))));
  at.query = plan.staged_matrix(kDim, kDim, projection(plan.source(attention + "W_query")));
  at.output = plan.staged_matrix(kDim, kDim, straight(plan.source(attention + "W_out"), kDim));
  at.feed_forward1 = plan.staged_matrix(kDim, kDim, transposed(plan.source(feed_forward + "0.weight"), kDim));
  at.feed_forward2 = plan.staged_matrix(kDim, kDim, transposed(plan.source(feed_forward + "2.weight"), kDim));
  return at;
}

/// Matrices stored as (d, d) linear layers, one beside the other.
Elements joined(const Planner& plan, const std::vector<std::string>& names) {
  std::vector<std::ptrdiff_t> weights;
  for (const std::string& name : names) weights.push_back(plan.source(name + ".weight"));
  return
      [weights](int k, int n) { return Element{weights[static_cast<std::size_t>(n / kDim)] + (n % kDim) * kDim + k}; };
}

PackedOffsets::Stream plan_stream(Planner& plan, const std::string& cell, const std::vector<std::string>& queries) {
  PackedOffsets::Stream at{};
  at.input = plan.matrix(kDim, 3 * kDim, transposed(plan.source(cell + ".weight_ih"), kDim));
  at.hidden = plan.matrix(kDim, 3 * kDim, transposed(plan.source(cell + ".weight_hh"), kDim));
  at.input_bias = plan.floats(cell + ".bias_ih");
  at.hidden_bias = plan.floats(cell + ".bias_hh");
  at.queries = plan.matrix(kDim, 2 * kDim, joined(plan, queries));
  return at;
}

}  // namespace

bool packed_supported(const policy::Architecture& architecture) {
  return architecture.dim == kDim && architecture.heads == kHeads && architecture.feed_forward == kDim &&
         architecture.layers >= 1 && architecture.layers <= kMaxLayers && architecture.recurrent &&
         architecture.move_stream && architecture.edge_stream && architecture.features() <= kMaxFeatures &&
         architecture.features() % 2 == 0;
}

PackingPlan plan_packing(const policy::Architecture& architecture) {
  Planner planner(architecture);
  PackingPlan plan;
  PackedOffsets& at = plan.at;
  const std::string embedder = "embedder.embedder.", decoder = "decoder.";
  const int features = architecture.features(), places = features <= kFewFeatures ? kFewFeatures : kMaxFeatures;
  at.embed1 = planner.matrix(4 * places, kEmbedHidden,
                             split_embedding(planner.source(embedder + "0.weight"), features, places));
  at.embed1_bias = planner.floats(embedder + "0.bias");
  at.embed2 = planner.matrix(kEmbedHidden, kDim, transposed(planner.source(embedder + "2.weight"), kEmbedHidden));
  at.embed2_bias = planner.floats(embedder + "2.bias");
  for (int layer = 0; layer < architecture.layers; ++layer)
    at.mixer[layer] = planner.mixer("encoder." + std::to_string(layer) + ".MHA_sublayer.MHA.");
  for (int layer = 0; layer < architecture.layers; ++layer) at.layer[layer] = plan_layer(planner, layer);
  at.decoder_keys = planner.staged_matrix(
      kDim, kKeyWidth,
      side_by_side(joined(
          planner, {decoder + "linear_K1", decoder + "linear_K3", decoder + "linear_K2", decoder + "linear_K4"})));
  at.initial_hidden = planner.matrix(kDim, kDim, transposed(planner.source(decoder + "init_hidden_W.weight"), kDim));
  at.initial_hidden_bias = planner.floats(decoder + "init_hidden_W.bias");
  at.first_input = planner.floats(decoder + "init_query_learnable");
  at.stream[0] = plan_stream(planner, decoder + "rnn1", {decoder + "linear_Q1", decoder + "linear_Q3"});
  at.stream[1] = plan_stream(planner, decoder + "rnn2", {decoder + "linear_Q2", decoder + "linear_Q4"});
  if (architecture.exploration_features) {
    at.hyper1 = planner.floats(decoder + "meta_linear.0.weight");
    at.hyper1_bias = planner.floats(decoder + "meta_linear.0.bias");
    at.hyper2 = planner.floats(decoder + "meta_linear.2.weight");
    at.hyper2_bias = planner.floats(decoder + "meta_linear.2.bias");
  } else {
    at.output_weights = planner.floats(decoder + "linear_V1");
    planner.floats(decoder + "linear_V2");  // d is a multiple of 4: it follows without a gap
  }
  plan.size = planner.size;
  plan.numbers = std::move(planner.numbers);
  return plan;
}

PackedModel pack_model(const policy::Model& model) {
  const PackingPlan plan = plan_packing(model.architecture);
  PackedModel packed{plan.at, std::vector<std::uint8_t>(plan.size, 0)};
  for (const PackedNumber& number : plan.numbers) {
    const float value = number.factor * model.weights.flat()[number.source];
    if (number.as == As::single) {
      std::memcpy(packed.bytes.data() + number.at, &value, sizeof value);
    } else {
      const float rest = value - from_half(to_half(value));
      const std::uint16_t half = to_half(number.as == As::half ? value : rest);
      std::memcpy(packed.bytes.data() + number.at, &half, sizeof half);
    }
  }
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
