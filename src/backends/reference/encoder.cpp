#include "backends/reference/encoder.h"

#include <fmt/format.h>

#include <cmath>

namespace neuopt::backends::reference {
namespace {

std::string attention_name(int layer) { return fmt::format("encoder.{}.MHA_sublayer.MHA", layer); }

Matrix feed_forward(const policy::Model& model, int layer, const Matrix& x) {
  const std::string name = fmt::format("encoder.{}.FFandNorm_sublayer.FF", layer);
  Matrix hidden = linear(x, model.weights[name + ".0.weight"]);
  relu(hidden.values);
  return linear(hidden, model.weights[name + ".2.weight"]);
}

}  // namespace

void normalize(Matrix& x) {
  constexpr double kEpsilon = 1e-5;
  const auto count = static_cast<double>(x.values.size());
  double mean = 0, variance = 0;
  for (const double value : x.values) mean += value / count;
  for (const double value : x.values) variance += (value - mean) * (value - mean) / (count - 1);
  for (double& value : x.values) value = (value - mean) / std::sqrt(variance + kEpsilon);
}

Encoder::Encoder(const policy::Model& model, int nodes)
    : model_(model), nodes_(nodes), positional_(positional_scores(model, nodes)) {}

Matrix Encoder::embed(std::span<const float> features) const {
  Matrix x(nodes_, model_.architecture.features());
  x.values.assign(features.begin(), features.end());
  Matrix hidden = linear(x, model_.weights["embedder.embedder.0.weight"], model_.weights["embedder.embedder.0.bias"]);
  relu(hidden.values);
  return linear(hidden, model_.weights["embedder.embedder.2.weight"], model_.weights["embedder.embedder.2.bias"]);
}

Matrix Encoder::encode(std::span<const float> features, std::span<const int> position) const {
  Matrix x = embed(features);
  for (int layer = 0; layer < model_.architecture.layers; ++layer) {
    add(x, synthesis_attention(model_, attention_name(layer), x, positional_, position));
    normalize(x);
    add(x, feed_forward(model_, layer, x));
    normalize(x);
  }
  return x;
}

HeadScores Encoder::first_layer_scores(std::span<const float> features, std::span<const int> position) const {
  return mixed_scores(model_, attention_name(0), embed(features), positional_, position);
}

}  // namespace neuopt::backends::reference
