#include "backends/cpu/packed_matrix.h"

#include <bit>

namespace neuopt::backends::cpu {
namespace {

/// The nearest bf16, ties to even. Weights are finite.
std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace

PackedMatrix::PackedMatrix(int inputs, int outputs)
    : inner(round_up(inputs, 2)),
      columns(round_up(outputs, kPanel)),
      values(static_cast<std::size_t>(inner) * static_cast<std::size_t>(columns), 0.0f) {}

float& PackedMatrix::at(int input, int output) {
  const long panel = output / kPanel;
  return values[static_cast<std::size_t>((panel * inner + input) * kPanel + output % kPanel)];
}

void PackedMatrix::fill(int input, int output, int inputs, int outputs, const std::function<float(int, int)>& value) {
  for (int i = 0; i < inputs; ++i)
    for (int j = 0; j < outputs; ++j) at(input + i, output + j) = value(i, j);
}

void PackedMatrix::round_to_half() {
  half.resize(values.size());
  for (int input = 0; input < inner; ++input)
    for (int output = 0; output < columns; ++output) {
      const long panel = output / kPanel;
      const long pair = (panel * (inner / 2) + input / 2) * kPanel + output % kPanel;
      half[static_cast<std::size_t>(pair * 2 + input % 2)] = to_bf16(at(input, output));
    }
}

}  // namespace neuopt::backends::cpu
