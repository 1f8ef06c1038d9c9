// A decoding step of one of the decoder's streams for a block of searches: initial states, gated recurrent unit,
// queries. The block's warps share its rows and split the columns, so that each weight is read once for all rows.
#pragma once

#include "backends/cuda/fragments.cuh"

namespace neuopt::backends::cuda::decoder {

constexpr int kRowStride = kDim + 8;  // halves; no two rows of a tile start in the same bank
constexpr int kPairs = kDim / 32;     // pairs of 16-column steps across the width
constexpr int kTiles = kDim / 8;      // C tiles across the width
constexpr int kGates = 3;             // reset, update, candidate

__device__ inline float fast_tanh(float x) { return 1.0f - __fdividef(2.0f, __expf(2.0f * x) + 1.0f); }
__device__ inline float sigmoid(float x) { return __fdividef(1.0f, 1.0f + __expf(-x)); }

/// Shared memory of a block: inputs and states as operands.
template <int kRows>
struct StreamShared {
  uint4 input[kRows][kRowStride / 8];
  uint4 state[kRows][kRowStride / 8];
};

/// The block's share of the work, and a thread's place in it. A block takes 16 kRowTiles searches with kWarps warps.
template <int kRowTiles, int kWarps>
struct StreamBlock {
  static constexpr int kRows = 16 * kRowTiles;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kUnitTiles = kTiles / kWarps;  // C tiles of hidden units for a warp
  static constexpr int kQueryTiles = 2 * kUnitTiles;
  using Shared = StreamShared<kRows>;

  const DeviceModel& model;
  const NetworkBuffers& buffers;
  Shared& shared;
  int stream;      // 0: mu, 1: lambda
  int first_copy;  // of the block
  int lane, warp;

  /// The place of row g (+ 8) of a row tile in the arrays of all searches, and the column 2t of a tile.
  __device__ int copy_of(int row_tile, int half) const { return first_copy + 16 * row_tile + 8 * half + lane / 4; }
  __device__ int column_of(int tile) const { return 8 * tile + 2 * (lane % 4); }
  __device__ float* state_of(int copy) const { return buffers.states + (static_cast<long>(copy) * 2 + stream) * kDim; }
};

/// 8 neighbouring numbers, rounded to half.
__device__ inline uint4 load_rounded(const float* at) {
  const float4 low = *reinterpret_cast<const float4*>(at), high = *reinterpret_cast<const float4*>(at + 4);
  return make_uint4(pack(low.x, low.y), pack(low.z, low.w), pack(high.x, high.y), pack(high.z, high.w));
}

/// Reads what the stream was given to read, and its states; before the first step the mean embeddings in their place.
template <class Block>
__device__ void load_inputs(const Block& block, int k) {
  const NetworkBuffers& buffers = block.buffers;
  for (int i = threadIdx.x; i < Block::kRows * kTiles; i += Block::kThreads) {
    const int row = i / kTiles, channel = i % kTiles * 8;
    const long copy = block.first_copy + row;
    uint4 input = make_uint4(0, 0, 0, 0), state = input;
    if (copy < buffers.copies && k == 0) {
      input = load_rounded(floats_at(block.model, block.model.at.first_input) + channel);
      state = load_rounded(buffers.mean + copy * kDim + channel);
    } else if (copy < buffers.copies) {
      const int position = (block.stream == 0 ? buffers.move_input : buffers.edge_input)[copy];
      input = *reinterpret_cast<const uint4*>(buffers.embeddings + (copy * buffers.nodes + position) * kDim + channel);
      state = load_rounded(block.state_of(static_cast<int>(copy)) + channel);
    }
    block.shared.input[row][channel / 8] = input;
    block.shared.state[row][channel / 8] = state;
  }
  __syncthreads();
}

/// Adds rows * matrix to result[tile][row tile]. The tiles begin at first_tile: kNeighbours side by side, then as many
/// a matrix width later, and so on.
template <int kNeighbours, int kTileCount, int kRowTiles>
__device__ __forceinline__ void multiply_shared(const uint4 (*rows)[kRowStride / 8], PackedMatrix matrix,
                                                int first_tile, int lane, TileC (&result)[kTileCount][kRowTiles]) {
  const uint4* own_weights = matrix + first_tile * kPairs * 32 + lane;
  const uint4* own_row = rows[lane % 16] + lane / 16;  // lane i names row i % 8 of block i / 8
#pragma unroll
  for (int pair = 0; pair < kPairs; ++pair) {
    TileA a[kRowTiles][2];
#pragma unroll
    for (int row_tile = 0; row_tile < kRowTiles; ++row_tile)
#pragma unroll
      for (int step = 0; step < 2; ++step)
        load_blocks(own_row + row_tile * 16 * (kRowStride / 8) + 4 * pair + 2 * step, a[row_tile][step].part);
#pragma unroll
    for (int i = 0; i < kTileCount; ++i) {
      const int tile = i % kNeighbours + i / kNeighbours * kTiles;
      const uint4 b = __ldg(own_weights + (tile * kPairs + pair) * 32);
#pragma unroll
      for (int row_tile = 0; row_tile < kRowTiles; ++row_tile) {
        multiply_add(result[i][row_tile], a[row_tile][0], b.x, b.y);
        multiply_add(result[i][row_tile], a[row_tile][1], b.z, b.w);
      }
    }
  }
}

/// Puts new states, tile by tile, where the operands lie. Nobody reads the old ones any more.
template <class Block, int kRowTiles>
__device__ void share_states(const Block& block, const TileC (&next)[Block::kUnitTiles][kRowTiles]) {
#pragma unroll
  for (int tile = 0; tile < Block::kUnitTiles; ++tile)
#pragma unroll
    for (int row_tile = 0; row_tile < kRowTiles; ++row_tile)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float* pair = next[tile][row_tile].value + 2 * half;
        auto* row = reinterpret_cast<std::uint32_t*>(block.shared.state[16 * row_tile + 8 * half + block.lane / 4]);
        row[block.column_of(block.warp * Block::kUnitTiles + tile) / 2] = pack(pair[0], pair[1]);
      }
}

/// Replaces the mean embeddings by the initial hidden states.
template <class Block, int kRowTiles>
__device__ void start_states(const Block& block, TileC (&state)[Block::kUnitTiles][kRowTiles]) {
  const float* bias = floats_at(block.model, block.model.at.initial_hidden_bias);
  const int first_tile = block.warp * Block::kUnitTiles;
#pragma unroll
  for (int tile = 0; tile < Block::kUnitTiles; ++tile) {
    const float2 pair = *reinterpret_cast<const float2*>(bias + block.column_of(first_tile + tile));
#pragma unroll
    for (int row_tile = 0; row_tile < kRowTiles; ++row_tile)
      state[tile][row_tile] = TileC{{pair.x, pair.y, pair.x, pair.y}};
  }
  multiply_shared<Block::kUnitTiles>(block.shared.state, matrix_at(block.model, block.model.at.initial_hidden),
                                     first_tile, block.lane, state);
  __syncthreads();
  share_states(block, state);
  __syncthreads();
}

/// The warp's hidden units as they were in single precision.
template <class Block, int kRowTiles>
__device__ void load_states(const Block& block, TileC (&state)[Block::kUnitTiles][kRowTiles]) {
#pragma unroll
  for (int tile = 0; tile < Block::kUnitTiles; ++tile)
#pragma unroll
    for (int row_tile = 0; row_tile < kRowTiles; ++row_tile)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int copy = block.copy_of(row_tile, half);
        float2 pair = make_float2(0, 0);
        if (copy < block.buffers.copies)
          pair = *reinterpret_cast<const float2*>(block.state_of(copy) +
                                                  block.column_of(block.warp * Block::kUnitTiles + tile));
        state[tile][row_tile].value[2 * half] = pair.x;
        state[tile][row_tile].value[2 * half + 1] = pair.y;
      }
}

/// The cell: new states of the warp's hidden units in place of the old ones.
template <class Block, int kRowTiles>
__device__ void update_states(const Block& block, TileC (&state)[Block::kUnitTiles][kRowTiles]) {
  constexpr int kUnitTiles = Block::kUnitTiles;
  const PackedOffsets::Stream& at = block.model.at.stream[block.stream];
  const float *input_bias = floats_at(block.model, at.input_bias),
              *hidden_bias = floats_at(block.model, at.hidden_bias);
  const int first_tile = block.warp * kUnitTiles;
  TileC gates[kGates * kUnitTiles][kRowTiles] = {}, candidate[kUnitTiles][kRowTiles];
  multiply_shared<kUnitTiles>(block.shared.input, matrix_at(block.model, at.input), first_tile, block.lane, gates);
  // Reset and update are functions of the sums; the candidate needs the input's and the state's part apart.
#pragma unroll
  for (int tile = 0; tile < kUnitTiles; ++tile)
#pragma unroll
    for (int row_tile = 0; row_tile < kRowTiles; ++row_tile) {
      candidate[tile][row_tile] = gates[2 * kUnitTiles + tile][row_tile];
      gates[2 * kUnitTiles + tile][row_tile] = TileC{};
    }
  multiply_shared<kUnitTiles>(block.shared.state, matrix_at(block.model, at.hidden), first_tile, block.lane, gates);
#pragma unroll
  for (int tile = 0; tile < kUnitTiles; ++tile)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int unit = block.column_of(first_tile + tile) + i % 2;
      const float reset_bias = input_bias[unit] + hidden_bias[unit];
      const float update_bias = input_bias[kDim + unit] + hidden_bias[kDim + unit];
      const float candidate_bias = input_bias[2 * kDim + unit], inner_bias = hidden_bias[2 * kDim + unit];
#pragma unroll
      for (int row_tile = 0; row_tile < kRowTiles; ++row_tile) {
        const float reset = sigmoid(gates[tile][row_tile].value[i] + reset_bias);
        const float update = sigmoid(gates[kUnitTiles + tile][row_tile].value[i] + update_bias);
        const float inner = gates[2 * kUnitTiles + tile][row_tile].value[i] + inner_bias;
        const float fresh = fast_tanh(candidate[tile][row_tile].value[i] + candidate_bias + reset * inner);
        float& value = state[tile][row_tile].value[i];
        value = (1.0f - update) * fresh + update * value;
      }
    }
}

/// Writes C tiles, two neighbouring numbers at a time; row(copy) is where a search's numbers begin.
template <class Block, int kTileCount, int kRowTiles, class Row>
__device__ void store_tiles(const Block& block, const TileC (&tiles)[kTileCount][kRowTiles], int first_tile,
                            Row&& row) {
#pragma unroll
  for (int tile = 0; tile < kTileCount; ++tile)
#pragma unroll
    for (int row_tile = 0; row_tile < kRowTiles; ++row_tile)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int copy = block.copy_of(row_tile, half);
        const float* pair = tiles[tile][row_tile].value + 2 * half;
        if (copy < block.buffers.copies)
          *reinterpret_cast<float2*>(row(copy) + block.column_of(first_tile + tile)) = make_float2(pair[0], pair[1]);
      }
}

/// Decoding step k (from 0) of the block's searches and stream.
template <int kRowTiles, int kWarps>
__device__ void advance_block(const StreamBlock<kRowTiles, kWarps>& block, int k) {
  using Block = StreamBlock<kRowTiles, kWarps>;
  load_inputs(block, k);
  TileC state[Block::kUnitTiles][kRowTiles];
  if (k == 0)
    start_states(block, state);
  else
    load_states(block, state);
  update_states(block, state);
  __syncthreads();
  share_states(block, state);
  store_tiles(block, state, block.warp * Block::kUnitTiles, [&](int copy) { return block.state_of(copy); });
  __syncthreads();
  TileC query[Block::kQueryTiles][kRowTiles] = {};
  const int first_tile = block.warp * Block::kQueryTiles;
  multiply_shared<Block::kQueryTiles>(block.shared.state,
                                      matrix_at(block.model, block.model.at.stream[block.stream].queries), first_tile,
                                      block.lane, query);
  store_tiles(block, query, first_tile, [&](int copy) {
    return block.buffers.queries + static_cast<long>(copy) * kKeyWidth + block.stream * 2 * kDim;
  });
}

}  // namespace neuopt::backends::cuda::decoder
