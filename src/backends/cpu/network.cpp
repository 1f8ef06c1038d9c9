#include "backends/cpu/network.h"

#include <fmt/format.h>

#include <span>

#include "backends/cpu/kernel_math.h"
#include "env/gire.h"

namespace neuopt::backends::cpu {
namespace {

using policy::Weights;

/// A torch linear layer (outputs, inputs) as a block of a packed matrix, times a factor.
void fill_linear(PackedMatrix& matrix, int output, std::span<const float> weight, int outputs, int inputs,
                 float factor = 1) {
  matrix.fill(0, output, inputs, outputs,
              [&](int i, int j) { return factor * weight[static_cast<std::size_t>(j) * inputs + i]; });
}

PackedMatrix linear(const Weights& weights, const std::string& name, int outputs, int inputs, int padded_inputs) {
  PackedMatrix matrix(padded_inputs, outputs);
  fill_linear(matrix, 0, weights[name], outputs, inputs);
  return matrix;
}

PackedMatrix biased_linear(const Weights& weights, const std::string& name, int outputs, int inputs,
                           int padded_inputs) {
  PackedMatrix matrix = linear(weights, name + ".weight", outputs, inputs, padded_inputs);
  const std::span<const float> bias = weights[name + ".bias"];
  matrix.bias.assign(static_cast<std::size_t>(matrix.columns), 0.0f);
  std::copy(bias.begin(), bias.end(), matrix.bias.begin());
  return matrix;
}

/// GRU gates (3 d, d): each of the three padded to the width on its own.
PackedMatrix gates(const Weights& weights, const std::string& weight, const std::string& bias, int dim, int width) {
  PackedMatrix matrix(width, 3 * width);
  matrix.bias.assign(static_cast<std::size_t>(3 * width), 0.0f);
  for (int gate = 0; gate < 3; ++gate) {
    const auto offset = static_cast<std::size_t>(gate) * dim;
    fill_linear(matrix, gate * width, weights[weight].subspan(offset * dim), dim, dim);
    for (int i = 0; i < dim; ++i) matrix.bias[gate * width + i] = weights[bias][offset + i];
  }
  return matrix;
}

std::vector<float> copy_of(std::span<const float> values) { return {values.begin(), values.end()}; }

}  // namespace

Network::Network(const policy::Model& model, bool half)
    : architecture(model.architecture),
      width(round_up(architecture.dim, kPanel)),
      hidden_width(round_up(architecture.dim / 2, kPanel)),
      head_width(round_up(architecture.head_dim(), kPanel)) {
  const Weights& weights = model.weights;
  const int dim = architecture.dim;
  embed_in = biased_linear(weights, "embedder.embedder.0", dim / 2, architecture.features(), architecture.features());
  embed_out = biased_linear(weights, "embedder.embedder.2", dim, dim / 2, hidden_width);
  layers.resize(static_cast<std::size_t>(architecture.layers));
  for (int layer = 0; layer < architecture.layers; ++layer) prepare_layer(weights, layer, half);
  position_query_ = copy_of(weights["pos_encoder.W_query"]);
  position_key_ = copy_of(weights["pos_encoder.W_key"]);
  prepare_decoder(weights, half);
}

void Network::prepare_layer(const Weights& weights, int index, bool half) {
  const int dim = architecture.dim, heads = architecture.heads, head_dim = architecture.head_dim();
  const std::string attention = fmt::format("encoder.{}.MHA_sublayer.MHA.", index);
  const std::string feed_forward = fmt::format("encoder.{}.FFandNorm_sublayer.FF.", index);
  EncoderLayer& layer = layers[static_cast<std::size_t>(index)];

  layer.query_key_value = PackedMatrix(width, 3 * heads * head_width);
  layer.output = PackedMatrix(heads * head_width, dim);
  const std::span<const float> output = weights[attention + "W_out"];  // (H, head_dim, d)
  for (int head = 0; head < heads; ++head) {
    const char* const names[] = {"W_query", "W_key", "W_val"};  // (H, d, head_dim)
    for (int part = 0; part < 3; ++part) {
      const auto matrix = weights[attention + names[part]].subspan(static_cast<std::size_t>(head) * dim * head_dim);
      layer.query_key_value.fill(0, (part * heads + head) * head_width, dim, head_dim,
                                 [&](int i, int j) { return matrix[static_cast<std::size_t>(i) * head_dim + j]; });
    }
    layer.output.fill(head * head_width, 0, head_dim, dim,
                      [&](int i, int j) { return output[(static_cast<std::size_t>(head) * head_dim + i) * dim + j]; });
  }
  layer.feed_forward_in = linear(weights, feed_forward + "0.weight", architecture.feed_forward, dim, width);
  layer.feed_forward_out =
      linear(weights, feed_forward + "2.weight", dim, architecture.feed_forward, layer.feed_forward_in.columns);
  if (half)
    for (PackedMatrix* matrix :
         {&layer.query_key_value, &layer.output, &layer.feed_forward_in, &layer.feed_forward_out})
      matrix->round_to_half();

  const int hidden = 2 * heads;
  const std::span<const float> mixer_in = weights[attention + "score_aggr.0.weight"];   // (2H, 2H)
  const std::span<const float> mixer_out = weights[attention + "score_aggr.2.weight"];  // (H, 2H)
  const std::span<const float> bias = weights[attention + "score_aggr.0.bias"];
  layer.hidden_bias.assign(bias.begin(), bias.end());
  for (int j = 0; j < hidden; ++j)
    for (int h = 0; h < heads; ++h) {
      layer.hidden_weights.push_back(mixer_in[j * hidden + h]);
      layer.positional_weights.push_back(mixer_in[j * hidden + heads + h]);
      layer.output_weights.push_back(kLog2E * mixer_out[h * hidden + j]);
    }
}

void Network::prepare_decoder(const Weights& weights, bool half) {
  const int dim = architecture.dim;
  const std::string decoder = "decoder.";
  keys = PackedMatrix(width, 4 * width);
  int place = 0;
  for (const char* name : {"K1", "K3", "K2", "K4"})
    fill_linear(keys, width * place++, weights[decoder + "linear_" + name + ".weight"], dim, dim, kTanhScale);
  if (half) keys.round_to_half();

  initial_hidden = biased_linear(weights, decoder + "init_hidden_W", dim, dim, width);
  first_input.assign(static_cast<std::size_t>(width), 0.0f);
  const std::span<const float> first = weights[decoder + "init_query_learnable"];
  std::copy(first.begin(), first.end(), first_input.begin());

  streams[0].enabled = architecture.move_stream;
  streams[1].enabled = architecture.edge_stream;
  for (int s = 0; s < 2; ++s) {
    const std::string cell = decoder + (s == 0 ? "rnn1" : "rnn2");
    streams[s].input_gates = gates(weights, cell + ".weight_ih", cell + ".bias_ih", dim, width);
    streams[s].hidden_gates = gates(weights, cell + ".weight_hh", cell + ".bias_hh", dim, width);
    streams[s].queries = PackedMatrix(width, 2 * width);
    // The key that a query is multiplied with carries the scale of tanh already, the one it is added to does not.
    fill_linear(streams[s].queries, 0, weights[decoder + (s == 0 ? "linear_Q1" : "linear_Q2") + ".weight"], dim, dim,
                kTanhScale);
    fill_linear(streams[s].queries, width, weights[decoder + (s == 0 ? "linear_Q3" : "linear_Q4") + ".weight"], dim,
                dim);
  }
  if (architecture.prospects) prospects = copy_of(weights[policy::kProspectTable]);
  if (architecture.exploration_features) {
    meta_in_ = copy_of(weights[decoder + "meta_linear.0.weight"]);
    meta_in_bias_ = copy_of(weights[decoder + "meta_linear.0.bias"]);
    meta_out_ = copy_of(weights[decoder + "meta_linear.2.weight"]);
    meta_out_bias_ = copy_of(weights[decoder + "meta_linear.2.bias"]);
  } else {
    last_layer.assign(static_cast<std::size_t>(2 * width), 0.0f);
    const std::span<const float> v1 = weights[decoder + "linear_V1"], v2 = weights[decoder + "linear_V2"];
    if (streams[0].enabled) std::copy(v1.begin(), v1.end(), last_layer.begin());
    if (streams[1].enabled) std::copy(v2.begin(), v2.end(), last_layer.begin() + width);
  }
}

void Network::last_layer_from(const float* exploration, float* out) const {
  constexpr int kInputs = env::kExplorationFeatures;
  const auto hidden_size = meta_in_bias_.size();
  std::vector<float> hidden(hidden_size);
  for (std::size_t j = 0; j < hidden_size; ++j) {
    float sum = meta_in_bias_[j];
    for (int i = 0; i < kInputs; ++i) sum += meta_in_[j * kInputs + i] * exploration[i];
    hidden[j] = std::max(sum, 0.0f);
  }
  std::fill(out, out + 2 * width, 0.0f);
  for (int stream = 0; stream < 2; ++stream) {
    if (!streams[stream].enabled) continue;
    for (int c = 0; c < architecture.dim; ++c) {
      const auto row = static_cast<std::size_t>(stream * architecture.dim + c);
      float sum = meta_out_bias_[row];
      for (std::size_t j = 0; j < hidden_size; ++j) sum += meta_out_[row * hidden_size + j] * hidden[j];
      out[stream * width + c] = sum;
    }
  }
}

}  // namespace neuopt::backends::cpu
