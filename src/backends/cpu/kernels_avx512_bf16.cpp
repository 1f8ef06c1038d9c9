#if defined(__x86_64__)
#include <cstring>

#include "backends/cpu/half_rows.h"
#include "backends/cpu/matmul_half.h"
#include "backends/cpu/matmul_kernel.h"
#include "backends/cpu/simd_avx512.h"

namespace neuopt::backends::cpu {
namespace {

/// As multiply_tile, with a and b in bf16: each step adds the products of two k.
template <int Rows, int Vecs>
void multiply_half_tile(const TileColumn& tile, const std::uint16_t* a, const std::uint16_t* b, int row) {
  __m512 sum[Rows][Vecs];
  for_each_sum<Rows, Vecs>([&](int r, int v) NEUOPT_INLINE { sum[r][v] = _mm512_setzero_ps(); });
  a += static_cast<long>(row) * tile.inner;
  for (int k = 0; k < tile.inner; k += 2, a += 2, b += 2 * kPanel) {
    __m512bh column[Vecs];
    for (int v = 0; v < Vecs; ++v)
      column[v] = (__m512bh)_mm512_loadu_si512(b + 2 * vector_offset<Avx512>(v, tile.b_gap / 2));
    for (int r = 0; r < Rows; ++r) {
      int pair;
      std::memcpy(&pair, a + static_cast<long>(r) * tile.inner, sizeof(pair));
      const __m512bh factor = (__m512bh)_mm512_set1_epi32(pair);
      for (int v = 0; v < Vecs; ++v) sum[r][v] = _mm512_dpbf16_ps(sum[r][v], factor, column[v]);
    }
  }
  finish_tile<Avx512, Rows, Vecs>(tile, row, sum);
}

template <int Vecs, int Rows = kMostRows<Avx512, Vecs>>
void multiply_half_rows(const TileColumn& tile, const std::uint16_t* a, const std::uint16_t* b, RowRange rows) {
  if constexpr (Rows > 0) {
    if (rows.size == Rows)
      multiply_half_tile<Rows, Vecs>(tile, a, b, rows.first);
    else
      multiply_half_rows<Vecs, Rows - 1>(tile, a, b, rows);
  }
}

/// One or two panels of columns.
template <int Vecs>
void multiply_half_column(const Matmul& m, int panel) {
  const auto* a = static_cast<const std::uint16_t*>(m.a_half);
  const auto* b = static_cast<const std::uint16_t*>(m.b_half) + static_cast<long>(panel) * m.inner * kPanel;
  TileColumn tile{};
  tile.b_gap = static_cast<long>(m.inner) * kPanel;
  tile.bias = m.bias == nullptr ? nullptr : m.bias + panel * kPanel;
  tile.c = m.c + c_panel(m, panel);
  tile.c_stride = m.c_stride;
  tile.c_gap = c_panel(m, panel + 1) - c_panel(m, panel);
  tile.inner = m.inner;
  tile.accumulate = m.accumulate;
  tile.relu = m.relu;
  const int tiles = (m.rows + kMostRows<Avx512, Vecs> - 1) / kMostRows<Avx512, Vecs>;
  for (int t = 0; t < tiles; ++t) multiply_half_rows<Vecs>(tile, a, b, share_of_rows(m.rows, tiles, t));
}

}  // namespace

void matmul_avx512_bf16(const Matmul& m) {
  round_rows(m, m.rows);
  const int panels = m.columns / kPanel;
  int panel = 0;
  for (; panel + 2 <= panels; panel += 2) multiply_half_column<4>(m, panel);
  if (panel < panels) multiply_half_column<2>(m, panel);
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

}  // namespace neuopt::backends::cpu
#endif
