// The policy network in half precision on a batch of searches of one size: launchers of its kernels. Rows of every
// (B, N, ...) array are in tour order: row p belongs to the node at position p.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "backends/cuda/packed_model.h"

namespace neuopt::backends::cuda {

/// Largest N of the half-precision encoder: one block holds the rows of an instance.
inline constexpr int kMaxNodes = 256;
/// Smallest N: 16 rows of d numbers fit the N rows of 4 d keys.
inline constexpr int kMinNodes = 4;

/// A packed model on the device.
struct DeviceModel {
  PackedOffsets at;
  const std::uint8_t* bytes;
  int layers;
  int features;  // even, up to kMaxFeatures
  bool exploration_features;
  const uint4* position_scores;  // see pack_position_scores
};

/// What the network computes from, and its results, for B searches of N nodes.
struct NetworkBuffers {
  int copies, nodes;               // B, N
  const float* features;           // (B, N, features)
  const float* exploration;        // (B, 9); null without ES features
  __half* embeddings;              // (B, N, d)
  __half* keys;                    // (B, N, 4d)
  float* mean;                     // (B, d) mean embedding
  float* states;                   // (B, 2, d) hidden states of the streams mu and lambda
  float* queries;                  // (B, 4d)
  const std::int32_t* move_input;  // (B) position that stream mu reads next
  const std::int32_t* edge_input;  // (B) position that stream lambda reads next
};

/// Shared memory that a block of the encoder needs at least.
std::size_t encoder_shared_bytes(int nodes);

/// 1. Features to embeddings, decoder keys and the mean embedding. One block works on as many instances as fit its rows
/// and goes on to the next ones.
void encode(const DeviceModel& model, const NetworkBuffers& buffers, int multiprocessors, cudaStream_t stream);

/// 2. Decoding step k (from 0): the streams' next hidden states and the queries.
void advance_streams(const DeviceModel& model, const NetworkBuffers& buffers, int k, cudaStream_t stream);

/// Packs weights that are on the device by the `count` numbers of a plan, and positional scores (heads, nodes, nodes).
void pack_on_device(const PackedNumber* numbers, int count, const float* weights, std::uint8_t* bytes,
                    cudaStream_t stream);
void pack_positions_on_device(int nodes, const float* scores, __half* packed, cudaStream_t stream);

}  // namespace neuopt::backends::cuda
