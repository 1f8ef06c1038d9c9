// What both directions of the attention share. A block has 8 warps and room for 128 rows; an instance takes the rows of
// whole warps, 16 each, so that a block works on one large or several small instances. Loops over keys take 16 at a
// time. Instances of more than 128 nodes have kernels of their own, attention_long.cuh, made of the same parts.
#pragma once

#include "device/async_copy.cuh"
#include "device/score_mixer.cuh"
#include "train/cuda/attention.h"

namespace neuopt::train::cuda::attention {

using neuopt::ScoreMixer;  // not the trainer's own, of tensors

constexpr int kDim = kAttentionDim;
constexpr int kHeads = kAttentionHeads;
constexpr int kHeadDim = kDim / kHeads;
constexpr int kRows = 128;
constexpr int kWarps = kRows / 16;
constexpr int kStride = kDim + 8;  // halves; no two rows of a block of 8 start in the same bank
constexpr float kNothing = -1e30f;

template <int kCount>
using RowsOf = __half[kCount][kStride];
using Rows = RowsOf<kRows>;

__host__ __device__ constexpr int slot_rows(int nodes) { return (nodes + 15) / 16 * 16; }
__host__ __device__ constexpr int slots_of_block(int nodes) { return kRows / slot_rows(nodes); }

/// Where a warp's rows lie while the block works on instances first_instance, ...
struct Place {
  int lane, group, quad, warp;
  int block_row;  // the warp's first row in shared memory
  int slot;       // of the block's instances
  int slot_base;  // the instance's first row in shared memory
  int first_row;  // the warp's first row of the instance
  long instance;  // -1: this warp has none
  int nodes;

  __device__ Place(int batch, int node_count, long first_instance) : Place(node_count) {
    slot = warp * 16 / slot_rows(nodes);
    slot_base = slot * slot_rows(nodes);
    first_row = warp * 16 - slot_base;
    instance = slot < slots_of_block(nodes) && first_instance + slot < batch ? first_instance + slot : -1;
  }

  /// Where the whole block works on kRows rows of one instance, from block_row on.
  static __device__ Place in_long_instance(int node_count, long of_instance, int block_row) {
    Place place(node_count);
    place.slot = place.slot_base = 0;
    place.first_row = block_row + place.warp * 16;
    place.instance = place.first_row < node_count ? of_instance : -1;
    return place;
  }

  __device__ bool has_row(int offset) const { return instance >= 0 && first_row + group + offset < nodes; }
  /// The row's number among all rows of the batch.
  __device__ long row(int offset) const { return instance * nodes + first_row + group + offset; }

 private:
  __device__ explicit Place(int node_count) : nodes(node_count) {
    lane = static_cast<int>(threadIdx.x) % 32;
    group = lane / 4;
    quad = lane % 4;
    warp = static_cast<int>(threadIdx.x) / 32;
    block_row = warp * 16;
  }
};

/// Begins to copy columns first .. first + 127 of each instance's rows (of `width` halves) to shared memory; zero
/// elsewhere. await_copies and a barrier must follow.
__device__ inline void load_rows(const __half* from, int width, int first, int batch, int nodes, long first_instance,
                                 Rows& to) {
  constexpr int kWords = kDim / 8;               // of 16 bytes
  constexpr int kAtOnce = kWarps * 32 / kWords;  // rows; they belong to one instance
  const int row_in_turn = static_cast<int>(threadIdx.x) / kWords, word = static_cast<int>(threadIdx.x) % kWords;
  const int rows = slot_rows(nodes);
  static_assert(16 % kAtOnce == 0);
#pragma unroll
  for (int turn = 0; turn < kRows; turn += kAtOnce) {
    const int slot = turn / rows, node = turn - slot * rows + row_in_turn;
    const long instance = first_instance + slot;
    auto* target = reinterpret_cast<uint4*>(&to[turn + row_in_turn][8 * word]);
    if (slot < slots_of_block(nodes) && node < nodes && instance < batch)
      begin_copy(target, reinterpret_cast<const uint4*>(from + (instance * nodes + node) * width + first + 8 * word));
    else
      *target = uint4{0, 0, 0, 0};
  }
}

/// The same for rows first_row, ... of one instance.
template <int kCount>
__device__ inline void load_long_rows(const __half* from, int width, int first, int nodes, long instance, int first_row,
                                      RowsOf<kCount>& to) {
  constexpr int kWords = kDim / 8;
  constexpr int kAtOnce = kWarps * 32 / kWords;
  const int row_in_turn = static_cast<int>(threadIdx.x) / kWords, word = static_cast<int>(threadIdx.x) % kWords;
  static_assert(kCount % kAtOnce == 0);
#pragma unroll
  for (int turn = 0; turn < kCount; turn += kAtOnce) {
    const int node = first_row + turn + row_in_turn;
    auto* target = reinterpret_cast<uint4*>(&to[turn + row_in_turn][8 * word]);
    if (node < nodes)
      begin_copy(target, reinterpret_cast<const uint4*>(from + (instance * nodes + node) * width + first + 8 * word));
    else
      *target = uint4{0, 0, 0, 0};
  }
}

/// The A tile at a row-major corner in shared memory.
__device__ inline TileA load_operand(const __half* corner, int stride, int lane) {
  TileA tile;
  load_blocks(corner + (lane % 16) * stride + lane / 16 * 8, tile.part);
  return tile;
}

/// The A tile of the transposed matrix: corner is that of the matrix itself.
__device__ inline TileA load_transposed_operand(const __half* corner, int stride, int lane) {
  TileA tile;
  load_transposed(corner + (lane % 8 + lane / 16 * 8) * stride + lane / 8 % 2 * 8, tile.part);
  return tile;
}

/// Products of 16 rows with 8 others, head by head. Both point to the first column of their first row.
__device__ inline void head_products(const __half* rows, const __half* others, int lane, TileC (&result)[kHeads]) {
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    std::uint32_t b[4];
    load_blocks(others + (lane % 8) * kStride + head * kHeadDim + lane / 8 * 8, b);
    result[head] = TileC{};
    multiply_add(result[head], load_operand(rows + head * kHeadDim, kStride, lane), b[0], b[1]);
    multiply_add(result[head], load_operand(rows + head * kHeadDim + 16, kStride, lane), b[2], b[3]);
  }
}

/// result += weights (16 x 16) * 16 rows of one head's 32 columns.
__device__ inline void add_weighted_rows(const TileA& weights, const __half* rows, int lane,
                                         TileC (&result)[kHeadDim / 8]) {
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    std::uint32_t b[4];
    load_transposed(rows + (lane % 16) * kStride + 16 * pair + lane / 16 * 8, b);
    multiply_add(result[2 * pair], weights, b[0], b[1]);
    multiply_add(result[2 * pair + 1], weights, b[2], b[3]);
  }
}

/// The positional scores of the lane's pairs in a tile of 8 keys: with its even key, and with its odd key.
__device__ inline void load_positions(const __half* positions, const Place& place, int first_key, TileA (&own)[2]) {
  const int stride = position_row(place.nodes) * kHeads, key = first_key + 2 * place.quad;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = min(place.first_row + place.group + 8 * half, place.nodes - 1);
    const uint4 pair = __ldg(reinterpret_cast<const uint4*>(positions + row * stride + key * kHeads));
    own[0].part[half] = pair.x;
    own[0].part[2 + half] = pair.y;
    own[1].part[half] = pair.z;
    own[1].part[2 + half] = pair.w;
  }
}

/// Writes a C tile's two rows to a (B, N, width) array.
__device__ inline void store_tile(__half* array, int width, const Place& place, int column, const TileC& tile) {
  const int at = column + 2 * place.quad;
  if (place.has_row(0))
    *reinterpret_cast<std::uint32_t*>(array + place.row(0) * width + at) = pack(tile.value[0], tile.value[1]);
  if (place.has_row(8))
    *reinterpret_cast<std::uint32_t*>(array + place.row(8) * width + at) = pack(tile.value[2], tile.value[3]);
}

}  // namespace neuopt::train::cuda::attention
