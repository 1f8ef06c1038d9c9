// The table of kernels of one vector type.
#pragma once

#include "backends/cpu/attention_kernel.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/matmul_kernel.h"
#include "backends/cpu/small_kernels.h"

namespace neuopt::backends::cpu {

template <class S>
constexpr Kernels kernel_table(const char* name) {
  Kernels kernels{};
  kernels.name = name;
  kernels.matmul = matmul<S>;
  kernels.attention = attention<S>;
  kernels.node_scores = node_scores<S>;
  kernels.transpose = transpose<S>;
  kernels.normalize = normalize<S>;
  kernels.column_sums = column_sums<S>;
  kernels.gru = gru<S>;
  kernels.tanh = tanh_in_place<S>;
  kernels.exponentials = exponentials<S>;
  kernels.peak = peak<S>;
  return kernels;
}

}  // namespace neuopt::backends::cpu
