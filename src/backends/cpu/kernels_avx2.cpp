#if defined(__x86_64__)
#include "backends/cpu/kernel_table.h"
#include "backends/cpu/simd_avx2.h"

namespace neuopt::backends::cpu {

extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = kernel_table<Avx2>("avx2");

}  // namespace neuopt::backends::cpu
#endif
