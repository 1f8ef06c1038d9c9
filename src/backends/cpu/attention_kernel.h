// Synthesis attention for a few rows of queries at a time, so that the scores of all heads stay in the nearest cache:
//   1. scores   q . k for each head                          (rows, H, padded_nodes)
//   2. mixer    ReLU(folded + W1 scores), W2                  in place
//   3. softmax  powers of two; the sums become row factors    in place
//   4. values   weights times V, divided by the sums
#pragma once

#include "backends/cpu/kernel_math.h"
#include "backends/cpu/matmul_kernel.h"

namespace neuopt::backends::cpu {

/// So many vectors of columns that lie side by side, in tiles of `Vecs` vectors and narrower ones. Moves `tile` along.
template <class S, int Vecs = S::kWideVecs>
void multiply_columns(TileColumn& tile, int rows, int vectors) {
  for (; vectors >= Vecs; vectors -= Vecs) {
    multiply_column<S, Vecs>(tile, rows);
    tile.b += Vecs * S::kWidth;
    tile.c += Vecs * S::kWidth;
  }
  if constexpr (Vecs > 1)
    if (vectors > 0) multiply_columns<S, Vecs - 1>(tile, rows, vectors);
}

/// 1. The scores of one head for a block of rows.
template <class S>
void score_rows(const Attention& at, int head, RowRange rows, float* scores, int row_stride) {
  TileColumn tile{};
  tile.a = at.query + (static_cast<long>(head) * at.nodes + rows.first) * at.head_width;
  tile.a_stride = at.head_width;
  tile.b = at.key + static_cast<long>(head) * at.head_width * at.padded_nodes;
  tile.b_stride = at.padded_nodes;
  tile.c = scores + static_cast<long>(head) * at.padded_nodes;
  tile.c_stride = row_stride;
  tile.b_gap = tile.c_gap = kPanel;
  tile.inner = at.head_width;
  multiply_columns<S>(tile, rows.size, at.padded_nodes / S::kWidth);
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

/// A softmax is the same for scores less any number. The largest is the safe choice; it is taken only where the sum of
/// the powers leaves this range, in which none overflows and none that matters vanishes.
inline constexpr float kMostPower = 64;
static inline bool is_safe_sum(float sum) { return sum > 0x1p-60f && sum < 0x1p60f; }

/// 2. and 3. One query: mixes the scores (H, padded_nodes) into `mixed`, replaces them by powers of two and notes the
/// sum of each head's. Columns past the nodes become 0. Heads: known when compiled, or 0.
template <class S, int Heads>
void mix_row(const Attention& at, const float* folded, float* scores, float* mixed, float* sums) {
  constexpr int kMost = Heads > 0 ? Heads : 64;
  using Vec = typename S::Vec;
  const int heads = Heads > 0 ? Heads : at.heads;
  const long stride = at.padded_nodes;
  Vec sum[kMost];
  for (int h = 0; h < heads; ++h) sum[h] = S::zero();
  for (int column = 0; column < at.nodes; column += S::kWidth) {
    // All hidden units at once: chains of multiply-adds that do not wait for each other.
    Vec in[kMost], hidden[2 * kMost], out[kMost];
    const float* block = folded + folded_offset(2 * heads, 0, column);
    for (int h = 0; h < heads; ++h) in[h] = S::load(scores + h * stride + column);
    for (int j = 0; j < 2 * heads; ++j) hidden[j] = S::load(block + j * kBlock);
    for (int h = 0; h < heads; ++h)
      for (int j = 0; j < 2 * heads; ++j)
        hidden[j] = S::fma(S::set(at.hidden_weights[j * heads + h]), in[h], hidden[j]);
    for (int h = 0; h < heads; ++h) out[h] = S::zero();
    for (int j = 0; j < 2 * heads; ++j) {
      hidden[j] = S::max(hidden[j], S::zero());
      for (int h = 0; h < heads; ++h) out[h] = S::fma(S::set(at.output_weights[j * heads + h]), hidden[j], out[h]);
    }
    const int left = at.nodes - column;
    for (int h = 0; h < heads; ++h) {
      if (left < S::kWidth) out[h] = S::keep_first(out[h], left, S::set(-3e38f));
      S::store(mixed + h * stride + column, out[h]);
      const Vec power = exp2<S>(S::min(out[h], S::set(kMostPower)));
      S::store(scores + h * stride + column, power);
      sum[h] = S::add(sum[h], power);
    }
  }
  for (int h = 0; h < heads; ++h) sums[h] = S::sum(sum[h]);
}

/// 3. where the powers of the scores themselves are too large or too small for single precision: powers of the
/// distances to the largest. Returns their sum.
template <class S>
float soften_row(const float* mixed, int nodes, float* scores) {
  using Vec = typename S::Vec;
  Vec most = S::load(mixed);  // columns past the nodes are far below
  for (int column = S::kWidth; column < nodes; column += S::kWidth) most = S::max(most, S::load(mixed + column));
  const Vec top = S::set(S::largest(most));
  Vec sum = S::zero();
  for (int column = 0; column < nodes; column += S::kWidth) {
    const Vec power = exp2<S>(S::sub(S::load(mixed + column), top));
    S::store(scores + column, power);
    sum = S::add(sum, power);
  }
  return S::sum(sum);
}

/// 4. The weighted values of one head for a block of rows.
template <class S>
void value_rows(const Attention& at, int head, RowRange rows, const float* scores, int row_stride,
                const float* row_scale) {
  TileColumn tile{};
  tile.a = scores + static_cast<long>(head) * at.padded_nodes;
  tile.a_stride = row_stride;
  tile.b = at.value + static_cast<long>(head) * at.nodes * at.head_width;
  tile.b_stride = at.head_width;
  tile.row_scale = row_scale;
  tile.c = at.out + static_cast<long>(rows.first) * at.heads * at.head_width + head * at.head_width;
  tile.c_stride = at.heads * at.head_width;
  tile.b_gap = tile.c_gap = kPanel;
  tile.inner = at.nodes;
  multiply_columns<S>(tile, rows.size, at.head_width / S::kWidth);
}

template <class S, int Heads>
void attend(const Attention& at) {
  const int row_stride = at.heads * at.padded_nodes;
  float* scores = at.scratch;
  float* folded_scratch = scores + static_cast<long>(kAttentionRows) * row_stride;
  float* mixed = folded_scratch + 2L * row_stride;  // (heads, padded_nodes)
  float* factors = mixed + row_stride;              // (heads, rows)
  float* sums = factors + kAttentionRows * at.heads;
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
      mix_row<S, Heads>(at, folded, row, mixed, sums);
      for (int head = 0; head < at.heads; ++head) {
        const long offset = static_cast<long>(head) * at.padded_nodes;
        if (!is_safe_sum(sums[head])) sums[head] = soften_row<S>(mixed + offset, at.nodes, row + offset);
        factors[head * kAttentionRows + r] = 1.0f / sums[head];
      }
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

}  // namespace neuopt::backends::cpu
