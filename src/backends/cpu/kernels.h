// The inner loops of the network as a table of functions, one table for each instruction set. Each kernel is one
// template over a small vector type, compiled once for every set; the rest of the backend is ordinary code.
// This header is included by files compiled for special instruction sets: only plain data here.
#pragma once

#include <cstdint>

namespace neuopt::backends::cpu {

/// Columns of a packed weight matrix are kept in panels of this width; widths are padded with zeros to multiples.
inline constexpr int kPanel = 32;

/// C = A B (+ bias) or C += A B, then ReLU when asked. B is constant: packed once, in panels. For bf16 products inner
/// is a multiple of 32.
struct Matmul {
  const float* a;  // (rows, inner), row stride a_stride
  int a_stride;
  const float* b;      // (columns / kPanel, inner, kPanel)
  const void* b_half;  // the same in bf16, pairs of rows interleaved: (columns / kPanel, inner / 2, kPanel, 2)
  const float* bias;   // (columns) or null
  float* c;            // (rows, columns), row stride c_stride
  int c_stride;
  int c_block_panels;   // panels of columns that lie side by side in C; the next ones start c_block_stride further on.
  long c_block_stride;  // 1 and kPanel make a row-major C; other values set the columns of each head apart
  int rows, inner, columns;
  bool accumulate;  // add to what is in C
  bool relu;
  void* a_half;  // for bf16 products: memory for A in bf16, rows rounded up to a multiple of 16
};

/// Synthesis attention of one layer, in tour order: scores, mixer, softmax and values, a few rows at a time.
struct Attention {
  int nodes;           // N
  int padded_nodes;    // N rounded up to a multiple of 16
  int heads;           // H
  int head_width;      // head size padded to a multiple of kPanel
  const float* query;  // (H, N, head_width)
  const float* key;    // (H, head_width, padded_nodes): transposed
  const float* value;  // (H, N, head_width)
  // Either `folded`: the first mixer layer applied to the positional scores, bias added, (N, padded_nodes / 16, 2H,
  // 16); or `positional`: the scores themselves, (N, H, padded_nodes), for sizes where the folded table would be too
  // large.
  const float* folded;
  const float* positional;
  const float* hidden_weights;      // (2H, H): first mixer layer, the half that reads the node scores
  const float* positional_weights;  // (2H, H): the half that reads the positional scores
  const float* hidden_bias;         // (2H)
  const float* output_weights;      // (2H, H): second mixer layer, transposed; its bias is lost in the softmax
  float* scratch;                   // attention_scratch(...) floats
  float* out;                       // (N, H * head_width)
};

inline constexpr int kBlock = 16;          // columns of a folded table that lie side by side: it is read front to back
inline constexpr int kAttentionRows = 12;  // rows of queries worked on together

constexpr long attention_scratch(int padded_nodes, int heads) {
  return (kAttentionRows + 3L) * heads * padded_nodes + (kAttentionRows + 1L) * heads;
}

/// The last decoder layer: for each listed node, v1 . tanh(k1 + q1 + k3 * q3) + v2 . tanh(k2 + q2 + k4 * q4).
struct NodeScores {
  const float* keys;        // (N, 4, width): k1, k3, k2, k4
  const float* queries[2];  // (2, width) each: q1, q3 and q2, q4
  const float* v;           // (2, width)
  int width;                // multiple of kPanel; the padding of v is 0
  const int* rows;          // rows of `keys` to score
  int count;
  float* out;  // (count)
};

struct Kernels {
  const char* name;
  void (*matmul)(const Matmul& product);
  void (*matmul_half)(const Matmul& product);  // in bf16 with sums in single precision; null where there is none
  void (*attention)(const Attention& attention);
  void (*node_scores)(const NodeScores& scores);
  /// out (columns, out_stride) = transpose of in (rows, in_stride). columns is a multiple of 16; rows is rounded up to
  /// one, so that the memory of in and out must allow it.
  void (*transpose)(const float* in, int in_stride, int rows, int columns, float* out, int out_stride);
  /// x = (x - mean) / sqrt(unbiased variance + 1e-5) over all `rows` x `columns` numbers together.
  void (*normalize)(float* x, int stride, int rows, int columns);
  /// Sums of the columns: out (columns), columns a multiple of kPanel.
  void (*column_sums)(const float* x, int stride, int rows, int columns, float* out);
  /// GRU cell: h' from its input gates and hidden gates (3, width: reset, update, new), in place.
  void (*gru)(const float* input_gates, const float* hidden_gates, int width, float* hidden);
  void (*tanh)(float* x, int count);
  /// x = exp(x - largest x); returns the sum.
  float (*exponentials)(float* x, int count);
  /// Multiply-adds on registers for `rounds` rounds; returns floating-point operations done. Measures the peak.
  double (*peak)(long rounds);
  double (*peak_half)(long rounds);  // the same with bf16 products; null where there are none
  const char* half_name;             // "amx" or "avx512_bf16"; null where there are none
};

/// The table of an instruction set: "avx512", "avx2" or "plain"; "": the best of this processor. Throws InputError for
/// an unknown name and ResourceError for one that this processor does not have.
const Kernels& kernels_for(const char* name);

}  // namespace neuopt::backends::cpu
