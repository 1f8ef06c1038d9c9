#include "backends/reference/gru.h"

#include <cmath>

namespace neuopt::backends::reference {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

Vector gru_cell(const policy::Model& model, const std::string& name, std::span<const double> input,
                std::span<const double> hidden) {
  const Vector from_input = linear(input, model.weights[name + ".weight_ih"], model.weights[name + ".bias_ih"]);
  const Vector from_hidden = linear(hidden, model.weights[name + ".weight_hh"], model.weights[name + ".bias_hh"]);
  const std::size_t d = hidden.size();
  Vector next(d);
  for (std::size_t i = 0; i < d; ++i) {
    const double reset = sigmoid(from_input[i] + from_hidden[i]);
    const double update = sigmoid(from_input[d + i] + from_hidden[d + i]);
    const double candidate = std::tanh(from_input[2 * d + i] + reset * from_hidden[2 * d + i]);
    next[i] = (1 - update) * candidate + update * hidden[i];
  }
  return next;
}

}  // namespace neuopt::backends::reference
