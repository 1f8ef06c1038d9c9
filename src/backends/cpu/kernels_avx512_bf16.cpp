#if defined(__x86_64__)
#include <cstring>

#include "backends/cpu/half_rows.h"
#include "backends/cpu/matmul_half.h"
#include "backends/cpu/matmul_kernel.h"
#include "backends/cpu/simd_avx512.h"

namespace neuopt::cpu {
namespace {

/// As multiply_tile, with a and b in bf16: each step adds the products of two k.
template <int Rows>
void multiply_half_tile(const Tile& tile, const std::uint16_t* a, const std::uint16_t* b) {
  constexpr int kVecs = 2;
  __m512 sum[Rows][kVecs];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < kVecs; ++v) sum[r][v] = _mm512_setzero_ps();
  for (int k = 0; k < tile.inner; k += 2, a += 2, b += 2 * kPanel) {
    const __m512bh first = (__m512bh)_mm512_loadu_si512(b), second = (__m512bh)_mm512_loadu_si512(b + kPanel);
    for (int r = 0; r < Rows; ++r) {
      int pair;
      std::memcpy(&pair, a + static_cast<long>(r) * tile.inner, sizeof(pair));
      const __m512bh factor = (__m512bh)_mm512_set1_epi32(pair);
      sum[r][0] = _mm512_dpbf16_ps(sum[r][0], factor, first);
      sum[r][1] = _mm512_dpbf16_ps(sum[r][1], factor, second);
    }
  }
  finish_tile<Avx512, Rows, kVecs>(tile, sum);
}

template <int Rows = Avx512::kTileRows>
void multiply_half_rows(const Tile& tile, const std::uint16_t* a, const std::uint16_t* b, int rows) {
  if constexpr (Rows > 0) {
    if (rows == Rows)
      multiply_half_tile<Rows>(tile, a, b);
    else
      multiply_half_rows<Rows - 1>(tile, a, b, rows);
  }
}

}  // namespace

void matmul_avx512_bf16(const Matmul& m) {
  round_rows(m, m.rows);
  const auto* a = static_cast<const std::uint16_t*>(m.a_half);
  const auto* b = static_cast<const std::uint16_t*>(m.b_half);
  const int tiles = (m.rows + Avx512::kTileRows - 1) / Avx512::kTileRows;
  Tile tile{};
  tile.c_stride = m.c_stride;
  tile.inner = m.inner;
  tile.accumulate = m.accumulate;
  tile.relu = m.relu;
  for (int panel = 0; panel < m.columns / kPanel; ++panel) {
    tile.bias = m.bias == nullptr ? nullptr : m.bias + panel * kPanel;
    for (int t = 0; t < tiles; ++t) {
      const RowRange range = share_of_rows(m.rows, tiles, t);
      tile.c = m.c + c_panel(m, panel) + static_cast<long>(range.first) * m.c_stride;
      multiply_half_rows(tile, a + static_cast<long>(range.first) * m.inner,
                         b + static_cast<long>(panel) * m.inner * kPanel, range.size);
    }
  }
}

double peak_avx512_bf16(long rounds) {
  constexpr int kChains = 12;
  __m512 chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = _mm512_setzero_ps();
  const __m512bh zero = (__m512bh)_mm512_set1_epi32(static_cast<int>(rounds & 1));
  for (long round = 0; round < rounds; ++round)
    for (int i = 0; i < kChains; ++i) chain[i] = _mm512_dpbf16_ps(chain[i], zero, zero);
  volatile float keep = 0;
  for (int i = 0; i < kChains; ++i) keep = keep + _mm512_reduce_add_ps(chain[i]);
  return 64.0 * kChains * static_cast<double>(rounds);
}

}  // namespace neuopt::cpu
#endif
