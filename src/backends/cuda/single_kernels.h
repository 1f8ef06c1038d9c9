// What stands between the matrix products of the network in single precision. Any width, any number of nodes; rows of
// (B, N, ...) arrays are in tour order. Launchers only queue work.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/mixer_pointers.h"

namespace neuopt::backends::cuda {

/// out (rows, hidden) = relu(weight (hidden, features) * x (rows, features) + bias).
void embed_hidden(long rows, int features, int hidden, const float* x, const float* weight, const float* bias,
                  float* out, cudaStream_t stream);

/// x (rows, width) += bias (width).
void add_bias(long rows, int width, const float* bias, float* x, cudaStream_t stream);

void relu(long count, float* x, cudaStream_t stream);

/// In place: scores (B, H, N, N), mixed with position_scores (H, N, N), then the softmax over the keys.
void mix_softmax(int copies, int nodes, int heads, const float* position_scores, const MixerPointers& mixer,
                 float* scores, cudaStream_t stream);

/// In place: each of the copies' `count` values, minus their mean, over the root of their unbiased variance.
void normalise(int copies, long count, float* x, cudaStream_t stream);

/// out (B, width): means over the N rows of x (B, N, width).
void mean_rows(int copies, int nodes, int width, const float* x, float* out, cudaStream_t stream);

/// out (B, width): row position[b] of embeddings (B, N, width); without positions the same `vector` for all.
void gather_rows(int copies, int nodes, int width, const float* embeddings, const std::int32_t* position,
                 const float* vector, float* out, cudaStream_t stream);

/// state (B, width): the next one of a GRU, from the gates' products (B, 3 width) and biases (3 width).
void update_gru(int copies, int width, const float* input_gates, const float* hidden_gates, const float* input_bias,
                const float* hidden_bias, float* state, cudaStream_t stream);

/// out = a + b.
void add(long count, const float* a, const float* b, float* out, cudaStream_t stream);

/// The hypernetwork of the ES features.
struct HyperPointers {
  const float* weight1;  // (8, 9)
  const float* bias1;    // (8)
  const float* weight2;  // (2 width, 8)
  const float* bias2;    // (2 width)
};

/// out (B, 2 width): v1, v2 of each copy.
void make_readouts(int copies, int width, const float* exploration, const HyperPointers& hyper, float* out,
                   cudaStream_t stream);

struct StreamScores {
  int copies, nodes, width;
  bool enabled[2];       // mu, lambda
  const float* keys;     // (B, N, 4 width): K1, K3, K2, K4
  const float* queries;  // (B, 4 width): Q1, Q3, Q2, Q4
  const float* readout;  // v1, v2 (2 width) of a copy
  long readout_stride;   // between copies; 0: all share one
};

/// scores (B, N).
void score_streams(const StreamScores& arguments, float* scores, cudaStream_t stream);

void to_single(long count, const double* from, float* to, cudaStream_t stream);

}  // namespace neuopt::backends::cuda
