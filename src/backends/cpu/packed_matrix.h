// A constant matrix in the order in which the products read it.
#pragma once

#include <cstdint>
#include <functional>

#include "backends/cpu/aligned.h"
#include "backends/cpu/kernels.h"

namespace neuopt::backends::cpu {

constexpr int round_up(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Rows are inputs, columns outputs. Both are padded: columns to whole panels, rows to an even number.
struct PackedMatrix {
  int inner = 0;                      // rows, padded
  int columns = 0;                    // padded
  AlignedFloats values;               // (columns / kPanel, inner, kPanel)
  AlignedVector<std::uint16_t> half;  // in bf16 (columns / kPanel, inner / 2, kPanel, 2); empty unless asked for
  AlignedFloats bias;                 // (columns); empty: none

  PackedMatrix() = default;
  /// All zeros.
  PackedMatrix(int inputs, int outputs);

  float& at(int input, int output);
  /// at(input + i, output + j) = value(i, j) for a block.
  void fill(int input, int output, int inputs, int outputs, const std::function<float(int, int)>& value);
  /// Makes `half`, of the values as they are now.
  void round_to_half();
};

/// A product with a packed matrix into a row-major C; further fields are set by the caller.
inline Matmul product(const float* a, int a_stride, int rows, const PackedMatrix& b, float* c, int c_stride) {
  return {a,
          a_stride,
          b.values.data(),
          b.half.empty() ? nullptr : b.half.data(),
          b.bias.empty() ? nullptr : b.bias.data(),
          c,
          c_stride,
          1,
          kPanel,
          rows,
          b.inner,
          b.columns,
          false,
          false,
          nullptr};
}

}  // namespace neuopt::backends::cpu
