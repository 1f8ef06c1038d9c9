// The left factor of a bf16 product, rounded. Included by the files that are compiled for AVX512-BF16, by nothing else.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "backends/cpu/kernels.h"

namespace neuopt::backends::cpu {
namespace {

/// Writes A as (padded_rows, inner) bf16 into a_half; rows past the end are 0. inner is a multiple of 32.
inline void round_rows(const Matmul& m, int padded_rows) {
  auto* to = static_cast<std::uint16_t*>(m.a_half);
  for (int row = 0; row < padded_rows; ++row)
    for (int k = 0; k < m.inner; k += 32, to += 32) {
      __m512i pair = _mm512_setzero_si512();
      if (row < m.rows) {
        const float* from = m.a + static_cast<long>(row) * m.a_stride + k;
        pair = (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + 16), _mm512_loadu_ps(from));
      }
      _mm512_storeu_si512(to, pair);
    }
}

}  // namespace
}  // namespace neuopt::backends::cpu
