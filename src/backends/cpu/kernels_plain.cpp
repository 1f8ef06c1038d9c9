#include "backends/cpu/kernel_table.h"
#include "backends/cpu/simd_plain.h"

namespace neuopt::backends::cpu {

extern const Kernels kPlainKernels;
const Kernels kPlainKernels = kernel_table<Plain>("plain");

}  // namespace neuopt::backends::cpu
