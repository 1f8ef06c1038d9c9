// Launchers of the attention in half precision, forward and backward, for batches of instances in tour order. Nothing
// of size (B, N, N) is stored: the backward pass recomputes scores and probabilities from queries, keys and the forward
// pass's log-sums. Device pointers, a stream as void*; errors throw ResourceError.
#pragma once

#include <cuda_fp16.h>

#include "device/mixer_pointers.h"

namespace neuopt::train::cuda {

inline constexpr int kAttentionDim = 128;       // the kernels are written for this width,
inline constexpr int kAttentionHeads = 4;       // this number of heads
inline constexpr int kAttentionMaxNodes = 256;  // and instances of at most this size

/// Whether the current device has the shared memory that the kernels need, up to 204 KiB: the H100 has it, the A100
/// not.
bool attention_supported();

/// Keys of a row of the table of positional scores, padded to whole tiles.
constexpr int position_row(int nodes) { return (nodes + 15) / 16 * 16; }

struct AttentionInput {
  int batch, nodes;
  const __half* joint;         // (B, N, 3d): queries, keys, values, heads side by side
  const MixerPointers* mixer;  // nullptr: plain attention, scores times `scale`
  const __half* positions;     // (N, position_row(N), 4); unused by plain attention
  float scale;
};

/// result: (B, N, d); log_sums: (B, N, 4), the logarithms of the softmax's denominators.
void attention_forward(const AttentionInput& input, __half* result, float* log_sums, void* stream);

/// How many partial sums the backward pass makes for a batch on the current device.
struct AttentionSums {
  int blocks;   // of mixer_partial
  int slots;    // of position_partial
  int carried;  // numbers; none for instances of at most 128 nodes
};
AttentionSums attention_sums(int batch, int nodes);

struct AttentionGradient {
  const __half* result;           // of the forward pass
  const float* log_sums;          // of the forward pass
  const __half* result_gradient;  // (B, N, d)
  __half* joint_gradient;         // (B, N, 3d)
  float* position_partial;        // (slots, N, N, 4), zero before; the caller adds up the slots
  float* mixer_partial;           // (blocks, kMixerParameters); the caller adds up the blocks
  float* carried;                 // (carried) to work with
};
void attention_backward(const AttentionInput& input, const AttentionGradient& gradient, void* stream);

}  // namespace neuopt::train::cuda
