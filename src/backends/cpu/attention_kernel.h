// Synthesis attention for a few rows of queries at a time, so that the scores of all heads stay in the nearest cache:
//   1. scores   q . k for each head                          (rows, H, padded_nodes)
//   2. mixer    ReLU(folded + W1 scores), W2                  in place
//   3. softmax  powers of two; the sums become row factors    in place
//   4. values   weights times V, divided by the sums
#pragma once

#include "backends/cpu/kernel_math.h"
#include "backends/cpu/matmul_kernel.h"

namespace neuopt::cpu {

/// The columns [column, end) of a product whose columns lie side by side, in tiles of `Vecs` vectors and narrower ones.
template <class S, int Vecs = S::kWideVecs>
void multiply_columns(Tile tile, int rows, int column, int end) {
  tile.b_gap = tile.c_gap = kPanel;
  const float* b = tile.b;
  float* c = tile.c;
  for (; column + Vecs * S::kWidth <= end; column += Vecs * S::kWidth) {
    tile.b = b + column;
    tile.c = c + column;
    multiply_column<S, Vecs>(tile, rows);
  }
  tile.b = b;
  tile.c = c;
  if constexpr (Vecs > 1)
    if (column < end) multiply_columns<S, Vecs - 1>(tile, rows, column, end);
}

/// 1. The scores of one head for a block of rows.
template <class S>
void score_rows(const Attention& at, int head, RowRange rows, float* scores, int row_stride) {
  Tile tile{};
  tile.a = at.query + (static_cast<long>(head) * at.nodes + rows.first) * at.head_width;
  tile.a_stride = at.head_width;
  tile.b = at.key + static_cast<long>(head) * at.head_width * at.padded_nodes;
  tile.b_stride = at.padded_nodes;
  tile.c = scores + static_cast<long>(head) * at.padded_nodes;
  tile.c_stride = row_stride;
  tile.inner = at.head_width;
  multiply_columns<S>(tile, rows.size, 0, at.padded_nodes);
}

/// Where hidden unit j of a column is in one row (padded_nodes / kBlock, 2H, kBlock) of the folded table.
static inline long folded_offset(int hidden, int j, int column) {
  return (static_cast<long>(column / kBlock) * hidden + j) * kBlock + column % kBlock;
}

/// The first mixer layer's share of the positional scores for one query, where no folded table is kept.
template <class S>
void fold_row(const Attention& at, int row, float* folded) {
  const float* positional = at.positional + static_cast<long>(row) * at.heads * at.padded_nodes;
  for (int j = 0; j < 2 * at.heads; ++j)
    for (int column = 0; column < at.padded_nodes; column += S::kWidth) {
      typename S::Vec sum = S::set(at.hidden_bias[j]);
      for (int h = 0; h < at.heads; ++h)
        sum = S::fma(S::set(at.positional_weights[j * at.heads + h]),
                     S::load(positional + static_cast<long>(h) * at.padded_nodes + column), sum);
      S::store(folded + folded_offset(2 * at.heads, j, column), sum);
    }
}

/// 2. One query: replaces the scores (H, padded_nodes) by the mixed ones and notes the largest of each head.
/// Heads: known when compiled, or 0.
template <class S, int Heads>
void mix_row(const Attention& at, const float* folded, float* scores, float* largest) {
  constexpr int kMost = Heads > 0 ? Heads : 64;
  using Vec = typename S::Vec;
  const int heads = Heads > 0 ? Heads : at.heads;
  const long stride = at.padded_nodes;
  Vec most[kMost];
  for (int h = 0; h < heads; ++h) most[h] = S::set(-3e38f);
  for (int column = 0; column < at.nodes; column += S::kWidth) {
    Vec in[kMost], out[kMost];
    for (int h = 0; h < heads; ++h) {
      in[h] = S::load(scores + h * stride + column);
      out[h] = S::zero();
    }
    const float* block = folded + folded_offset(2 * heads, 0, column);
    for (int j = 0; j < 2 * heads; ++j) {
      Vec hidden = S::load(block + j * kBlock);
      for (int h = 0; h < heads; ++h) hidden = S::fma(S::set(at.hidden_weights[j * heads + h]), in[h], hidden);
      hidden = S::max(hidden, S::zero());
      for (int h = 0; h < heads; ++h) out[h] = S::fma(S::set(at.output_weights[j * heads + h]), hidden, out[h]);
    }
    const int left = at.nodes - column;
    for (int h = 0; h < heads; ++h) {
      if (left < S::kWidth) out[h] = S::keep_first(out[h], left, S::set(-3e38f));
      most[h] = S::max(most[h], out[h]);
      S::store(scores + h * stride + column, out[h]);
    }
  }
  for (int h = 0; h < heads; ++h) largest[h] = S::largest(most[h]);
}

/// 3. Powers of two of the distances to the largest; returns one over their sum. Columns past the nodes become 0.
template <class S>
float soften_row(float* scores, int nodes, float largest) {
  using Vec = typename S::Vec;
  const Vec top = S::set(largest);
  Vec sum = S::zero();
  for (int column = 0; column < nodes; column += S::kWidth) {
    const Vec power = exp2<S>(S::sub(S::load(scores + column), top));
    S::store(scores + column, power);
    sum = S::add(sum, power);
  }
  return 1.0f / S::sum(sum);
}

/// 4. The weighted values of one head for a block of rows.
template <class S>
void value_rows(const Attention& at, int head, RowRange rows, const float* scores, int row_stride,
                const float* row_scale) {
  Tile tile{};
  tile.a = scores + static_cast<long>(head) * at.padded_nodes;
  tile.a_stride = row_stride;
  tile.b = at.value + static_cast<long>(head) * at.nodes * at.head_width;
  tile.b_stride = at.head_width;
  tile.row_scale = row_scale;
  tile.c = at.out + static_cast<long>(rows.first) * at.heads * at.head_width + head * at.head_width;
  tile.c_stride = at.heads * at.head_width;
  tile.inner = at.nodes;
  multiply_columns<S>(tile, rows.size, 0, at.head_width);
}

template <class S, int Heads>
void attend(const Attention& at) {
  const int row_stride = at.heads * at.padded_nodes;
  float* scores = at.scratch;
  float* folded_scratch = scores + static_cast<long>(kAttentionRows) * row_stride;
  float* largest = folded_scratch + 2L * row_stride;     // (heads)
  float* factors = largest + kAttentionRows * at.heads;  // (heads, rows)
  const int blocks = (at.nodes + kAttentionRows - 1) / kAttentionRows;
  for (int block = 0; block < blocks; ++block) {
    const RowRange rows = share_of_rows(at.nodes, blocks, block);
    for (int head = 0; head < at.heads; ++head) score_rows<S>(at, head, rows, scores, row_stride);
    for (int r = 0; r < rows.size; ++r) {
      const float* folded = at.folded + static_cast<long>(rows.first + r) * 2 * row_stride;
      if (at.folded == nullptr) {
        fold_row<S>(at, rows.first + r, folded_scratch);
        folded = folded_scratch;
      }
      float* row = scores + static_cast<long>(r) * row_stride;
      mix_row<S, Heads>(at, folded, row, largest);
      for (int head = 0; head < at.heads; ++head)
        factors[head * kAttentionRows + r] =
            soften_row<S>(row + static_cast<long>(head) * at.padded_nodes, at.nodes, largest[head]);
    }
    for (int head = 0; head < at.heads; ++head)
      value_rows<S>(at, head, rows, scores, row_stride, factors + head * kAttentionRows);
  }
}

template <class S>
void attention(const Attention& at) {
  if (at.heads == 4)
    attend<S, 4>(at);
  else
    attend<S, 0>(at);
}

}  // namespace neuopt::cpu
