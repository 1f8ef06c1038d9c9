// Matrix products with a block of the result held in registers.
//
// A tile is at most kTileRows rows by kTileVecs vectors of C: each number of A is broadcast once and each vector of B
// loaded once for all of them. Rows are shared out evenly over tiles, so that 100 rows make 8 tiles of 11 and one of
// 12 and none is nearly empty. Each number of C is one chain of multiply-adds over `inner`, whatever the tile: the
// result of a row does not depend on which rows are computed with it.
#pragma once

#include "backends/cpu/kernels.h"

namespace neuopt::cpu {

/// One tile: where its parts start, and what happens to the sums at the end.
struct Tile {
  const float* a;
  int a_stride;
  const float* b;
  int b_stride;
  const float* bias;       // or null
  const float* row_scale;  // or null: factor of each row
  float* c;
  int c_stride;
  int inner;
  bool accumulate;
  bool relu;
};

template <class S, int Rows, int Vecs>
inline void finish_tile(const Tile& tile, typename S::Vec (&sum)[Rows][Vecs]) {
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vecs; ++v) {
      typename S::Vec value = sum[r][v];
      float* to = tile.c + static_cast<long>(r) * tile.c_stride + v * S::kWidth;
      if (tile.bias != nullptr) value = S::add(value, S::load(tile.bias + v * S::kWidth));
      if (tile.row_scale != nullptr) value = S::mul(value, S::set(tile.row_scale[r]));
      if (tile.accumulate) value = S::add(value, S::load(to));
      if (tile.relu) value = S::max(value, S::zero());
      S::store(to, value);
    }
}

template <class S, int Rows, int Vecs>
void multiply_tile(const Tile& tile) {
  typename S::Vec sum[Rows][Vecs];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vecs; ++v) sum[r][v] = S::zero();
  const float* a = tile.a;
  const float* b = tile.b;
  const auto add_products = [&] {
    typename S::Vec column[Vecs];
    for (int v = 0; v < Vecs; ++v) column[v] = S::load(b + v * S::kWidth);
    for (int r = 0; r < Rows; ++r) {
      const typename S::Vec factor = S::set(a[static_cast<long>(r) * tile.a_stride]);
      for (int v = 0; v < Vecs; ++v) sum[r][v] = S::fma(factor, column[v], sum[r][v]);
    }
    ++a;
    b += tile.b_stride;
  };
  int k = 0;
  for (; k + 4 <= tile.inner; k += 4) {
    add_products();
    add_products();
    add_products();
    add_products();
  }
  for (; k < tile.inner; ++k) add_products();
  finish_tile<S, Rows, Vecs>(tile, sum);
}

/// Calls multiply_tile for a number of rows known only at run time.
template <class S, int Vecs, int Rows = S::kTileRows>
inline void multiply_rows(const Tile& tile, int rows) {
  if constexpr (Rows > 0) {
    if (rows == Rows)
      multiply_tile<S, Rows, Vecs>(tile);
    else
      multiply_rows<S, Vecs, Rows - 1>(tile, rows);
  }
}

/// The rows of tile `index` out of `count` that share `rows` evenly.
struct RowRange {
  int first, size;
};
static inline RowRange share_of_rows(int rows, int count, int index) {
  const int base = rows / count, longer = rows % count;
  return {index * base + (index < longer ? index : longer), base + (index < longer ? 1 : 0)};
}

/// All `rows` of one tile column.
template <class S, int Vecs>
inline void multiply_column(Tile tile, int rows) {
  const int tiles = (rows + S::kTileRows - 1) / S::kTileRows;
  const Tile whole = tile;
  for (int t = 0; t < tiles; ++t) {
    const RowRange range = share_of_rows(rows, tiles, t);
    tile.a = whole.a + static_cast<long>(range.first) * whole.a_stride;
    tile.c = whole.c + static_cast<long>(range.first) * whole.c_stride;
    if (whole.row_scale != nullptr) tile.row_scale = whole.row_scale + range.first;
    multiply_rows<S, Vecs>(tile, range.size);
  }
}

/// Where a panel of C starts.
static inline long c_panel(const Matmul& m, int panel) {
  return panel / m.c_block_panels * m.c_block_stride + panel % m.c_block_panels * kPanel;
}

template <class S>
void matmul(const Matmul& m) {
  constexpr int kColumns = S::kTileVecs * S::kWidth;
  for (int panel = 0; panel < m.columns / kPanel; ++panel)
    for (int offset = 0; offset < kPanel; offset += kColumns) {
      const int column = panel * kPanel + offset;
      const Tile tile{m.a,
                      m.a_stride,
                      m.b + static_cast<long>(panel) * m.inner * kPanel + offset,
                      kPanel,
                      m.bias == nullptr ? nullptr : m.bias + column,
                      nullptr,
                      m.c + c_panel(m, panel) + offset,
                      m.c_stride,
                      m.inner,
                      m.accumulate,
                      m.relu};
      multiply_column<S, S::kTileVecs>(tile, m.rows);
    }
}

}  // namespace neuopt::cpu
