// Matrix products in bf16 with sums in single precision, for processors that have them.
#pragma once

#include "backends/cpu/kernels.h"

namespace neuopt::backends::cpu {

/// With the dot products of AVX512-BF16. A is rounded to the nearest bf16 into Matmul::a_half first.
void matmul_avx512_bf16(const Matmul& product);
double peak_avx512_bf16(long rounds);

/// With the tiles of AMX-BF16. The calling process must have been granted them.
void matmul_amx_bf16(const Matmul& product);
double peak_amx_bf16(long rounds);

/// Whether the processor has AMX-BF16 and the kernel grants this process its registers.
bool request_amx();

}  // namespace neuopt::backends::cpu
