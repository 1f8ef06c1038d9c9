#include "policy/positional_encoding.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.h"

namespace neuopt::policy {
namespace {

constexpr double kGrid = 0.01;  // positions are placed on a grid of this width
constexpr int kSmooth = 2;      // a position is averaged with so many neighbours on each side

/// dim/2 periods, evenly spaced from positions^(2/dim) to positions and truncated to integers.
std::vector<double> periods(int positions, int dim) {
  const int count = dim / 2;
  const double first = std::pow(static_cast<double>(positions), 2.0 / dim);
  const double step = count > 1 ? (positions - first) / (count - 1) : 0.0;
  std::vector<double> result(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) result[i] = std::trunc(i + 1 == count ? positions : first + i * step);
  if (count == 1) result[0] = std::trunc(first);
  return result;
}

/// The wave of one channel at every position, before smoothing.
std::vector<double> wave(int channel, int positions, int dim, double period) {
  const int half = dim / 2;
  const double phase = channel <= half ? 0.0 : 2 * std::numbers::pi * (half - channel) / half;
  const double grid_points = std::ceil(std::ceil(positions / period) * period / kGrid);
  const double stride = grid_points / positions;  // computed first: the order decides some truncations
  std::vector<double> column;
  for (int position = 0; position < positions; ++position) {
    const double x = kGrid * std::trunc(position * stride);
    const double angle = 2 * std::numbers::pi / period * std::abs(std::fmod(x, 2 * period) - period) + phase;
    column.push_back(channel % 2 == 0 ? std::sin(angle) : std::cos(angle));
  }
  return column;
}

}  // namespace

std::vector<double> cyclic_positional_encoding(int positions, int dim) {
  if (positions < 3 || dim < 2)
    throw InputError("the positional encoding needs 3 positions and 2 channels or more, not " +
                     std::to_string(positions) + " and " + std::to_string(dim));
  const std::vector<double> period = periods(positions, dim);
  std::vector<double> table(static_cast<std::size_t>(positions) * dim);
  for (int channel = 0; channel < dim; ++channel) {
    const int entry = std::min(channel / 3 * 3 + 1, dim / 2 - 1);
    const std::vector<double> column = wave(channel, positions, dim, period[entry]);
    double mean = 0;
    for (const double value : column) mean += value / positions;
    for (int position = 0; position < positions; ++position) {
      double sum = 0;
      for (int shift = -kSmooth; shift <= kSmooth; ++shift) sum += column[(position + shift + positions) % positions];
      table[static_cast<std::size_t>(position) * dim + channel] = sum / (2 * kSmooth + 1) - mean;
    }
  }
  return table;
}

}  // namespace neuopt::policy
