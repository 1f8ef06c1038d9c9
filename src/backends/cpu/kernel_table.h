// The table of kernels of one vector type.
#pragma once

#include "backends/cpu/attention_kernel.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/matmul_kernel.h"
#include "backends/cpu/small_kernels.h"

namespace neuopt::cpu {

template <class S>
constexpr Kernels kernel_table(const char* name) {
  return {name,           matmul<S>, nullptr,          attention<S>,    node_scores<S>, transpose<S>, normalize<S>,
          column_sums<S>, gru<S>,    tanh_in_place<S>, exponentials<S>, peak<S>,        nullptr};
}

}  // namespace neuopt::cpu
