// Matrix products with a block of the result held in registers.
//
// A tile is some rows by some vectors of C: each number of A is broadcast once and each vector of B loaded once for all
// of them. Wide, flat tiles need the fewest loads (6 rows by 4 vectors of 16 where there are 32 registers). Rows are
// shared out evenly over tiles, so that none is nearly empty. Each number of C is one chain of multiply-adds over
// `inner`, whatever the tile: the result of a row does not depend on which rows are computed with it.
#pragma once

#include "backends/cpu/kernels.h"
#include "backends/cpu/unroll.h"

namespace neuopt::backends::cpu {

/// A column of tiles: where its parts start, and what happens to the sums at the end.
struct TileColumn {
  const float* a;
  long a_stride;
  const float* b;
  long b_stride;
  long b_gap;              // from the first panel's columns of B to the next panel's, for tiles wider than one
  const float* bias;       // or null
  const float* row_scale;  // or null: factor of each row
  float* c;
  long c_stride;
  long c_gap;  // as b_gap
  int inner;
  bool accumulate;
  bool relu;
};

/// Offset of vector v of a tile.
template <class S>
inline long vector_offset(int v, long gap) {
  constexpr int kVecsOfPanel = kPanel / S::kWidth;
  return v / kVecsOfPanel * gap + v % kVecsOfPanel * S::kWidth;
}

/// Rows of the tallest tile of so many vectors.
template <class S, int Vecs>
inline constexpr int kMostRows = S::kTileSums / Vecs < kAttentionRows ? S::kTileSums / Vecs : kAttentionRows;

/// Calls part(r, v) for each vector of a tile.
template <int Rows, int Vecs, class Part>
NEUOPT_INLINE inline void for_each_sum(const Part& part) {
  unroll<Rows * Vecs>([&](int i) NEUOPT_INLINE { part(i / Vecs, i % Vecs); });
}

/// The end of a tile whose first row is `row`.
template <class S, int Rows, int Vecs>
NEUOPT_INLINE inline void finish_tile(const TileColumn& tile, int row, typename S::Vec (&sum)[Rows][Vecs]) {
  using Vec = typename S::Vec;
  // Each question is asked once for the tile and not for each vector.
  const auto for_each = [&](const auto& change) NEUOPT_INLINE {
    for_each_sum<Rows, Vecs>([&](int r, int v) NEUOPT_INLINE { sum[r][v] = change(sum[r][v], r, v); });
  };
  float* c = tile.c + row * tile.c_stride;
  const auto place = [&](int r, int v) { return c + r * tile.c_stride + vector_offset<S>(v, tile.c_gap); };
  if (tile.bias != nullptr) for_each([&](Vec x, int, int v) { return S::add(x, S::load(tile.bias + v * S::kWidth)); });
  if (tile.row_scale != nullptr)
    for_each([&](Vec x, int r, int) { return S::mul(x, S::set(tile.row_scale[row + r])); });
  if (tile.accumulate) for_each([&](Vec x, int r, int v) { return S::add(x, S::load(place(r, v))); });
  if (tile.relu) for_each([&](Vec x, int, int) { return S::max(x, S::zero()); });
  for_each_sum<Rows, Vecs>([&](int r, int v) NEUOPT_INLINE { S::store(place(r, v), sum[r][v]); });
}

/// The tile whose first row is `row`.
template <class S, int Rows, int Vecs>
void multiply_tile(const TileColumn& tile, int row) {
  typename S::Vec sum[Rows][Vecs];
  for_each_sum<Rows, Vecs>([&](int r, int v) NEUOPT_INLINE { sum[r][v] = S::zero(); });
  const float* a = tile.a + row * tile.a_stride;
  const float* b = tile.b;
  const auto add_products = [&] {
    typename S::Vec column[Vecs];
    for (int v = 0; v < Vecs; ++v) column[v] = S::load(b + vector_offset<S>(v, tile.b_gap));
    for (int r = 0; r < Rows; ++r) {
      const typename S::Vec factor = S::set(a[r * tile.a_stride]);
      for (int v = 0; v < Vecs; ++v) sum[r][v] = S::fma(factor, column[v], sum[r][v]);
    }
    ++a;
    b += tile.b_stride;
  };
  int k = 0;
  for (; k + 2 <= tile.inner; k += 2) unroll<2>([&](int) NEUOPT_INLINE { add_products(); });
  for (; k < tile.inner; ++k) add_products();
  finish_tile<S, Rows, Vecs>(tile, row, sum);
}

/// The rows of tile `index` out of `count` that share `rows` evenly.
struct RowRange {
  int first, size;
};
static inline RowRange share_of_rows(int rows, int count, int index) {
  const int base = rows / count, longer = rows % count;
  return {index * base + (index < longer ? index : longer), base + (index < longer ? 1 : 0)};
}

/// Calls multiply_tile for a number of rows known only at run time.
template <class S, int Vecs, int Rows = kMostRows<S, Vecs>>
inline void multiply_rows(const TileColumn& tile, RowRange rows) {
  if constexpr (Rows > 0) {
    if (rows.size == Rows)
      multiply_tile<S, Rows, Vecs>(tile, rows.first);
    else
      multiply_rows<S, Vecs, Rows - 1>(tile, rows);
  }
}

/// All `rows` of one tile column.
template <class S, int Vecs>
inline void multiply_column(const TileColumn& tile, int rows) {
  const int tiles = (rows + kMostRows<S, Vecs> - 1) / kMostRows<S, Vecs>;
  for (int t = 0; t < tiles; ++t) multiply_rows<S, Vecs>(tile, share_of_rows(rows, tiles, t));
}

/// Where a panel of C starts.
static inline long c_panel(const Matmul& m, int panel) {
  return panel / m.c_block_panels * m.c_block_stride + panel % m.c_block_panels * kPanel;
}

template <class S>
void matmul(const Matmul& m) {
  constexpr int kWide = S::kWideVecs * S::kWidth;
  constexpr int kNarrow = kWide < kPanel ? kWide : kPanel;
  for (int column = 0; column < m.columns;) {
    const int panel = column / kPanel, offset = column % kPanel;
    TileColumn tile{};
    tile.a = m.a;
    tile.a_stride = m.a_stride;
    tile.b = m.b + static_cast<long>(panel) * m.inner * kPanel + offset;
    tile.b_stride = kPanel;
    tile.b_gap = static_cast<long>(m.inner) * kPanel;
    tile.bias = m.bias == nullptr ? nullptr : m.bias + column;
    tile.c = m.c + c_panel(m, panel) + offset;
    tile.c_stride = m.c_stride;
    tile.c_gap = c_panel(m, panel + 1) - c_panel(m, panel);
    tile.inner = m.inner;
    tile.accumulate = m.accumulate;
    tile.relu = m.relu;
    if (m.columns - column >= kWide) {
      multiply_column<S, S::kWideVecs>(tile, m.rows);
      column += kWide;
    } else {
      multiply_column<S, kNarrow / S::kWidth>(tile, m.rows);
      column += kNarrow;
    }
  }
}

}  // namespace neuopt::backends::cpu
