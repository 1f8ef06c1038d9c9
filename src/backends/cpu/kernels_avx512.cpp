#if defined(__x86_64__)
#include "backends/cpu/kernel_table.h"
#include "backends/cpu/simd_avx512.h"

namespace neuopt::backends::cpu {

extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = kernel_table<Avx512>("avx512");

}  // namespace neuopt::backends::cpu
#endif
