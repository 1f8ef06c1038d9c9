// Attention of instances of more than 128 nodes, up to 256: one to a block, whose warps take 128 rows at a time.
//
// The forward pass holds all rows in shared memory; a warp goes from its first 16 queries to its second. In the
// backward pass there is room for 128 queries, and keys and values come 16 at a time, the next while the block works on
// the last. The gradients of keys and values that the first 128 queries bring wait in device memory for those of the
// others: each thread reads back what it wrote itself.
#pragma once

#include "train/cuda/attention_backward.cuh"
#include "train/cuda/attention_forward.cuh"

namespace neuopt::train::cuda::attention {

constexpr int kLongRows = kAttentionMaxNodes;
constexpr int kCarriedOfTile = kWarps * 32 * kHeadDim / 2;  // numbers: gradients of 16 keys and values

using LongForwardShared = ForwardRows<kLongRows>;
using LongBackwardShared = BackwardRows<2 * 16>;

static_assert(sizeof(LongForwardShared) <= 227 * 1024 && sizeof(LongBackwardShared) <= 227 * 1024);

/// Numbers that one block carries from some queries to the next.
constexpr int carried_by_block(int nodes) { return slot_rows(nodes) / 16 * kCarriedOfTile; }

template <bool kMixed>
__device__ inline void forward_block(const AttentionInput& input, const MixerPointers& weights,
                                     LongForwardShared& shared, __half* result, float* log_sums) {
  const long instance = blockIdx.x;
  load_long_rows(input.joint, 3 * kDim, 0, input.nodes, instance, 0, shared.query);
  load_long_rows(input.joint, 3 * kDim, kDim, input.nodes, instance, 0, shared.key);
  load_long_rows(input.joint, 3 * kDim, 2 * kDim, input.nodes, instance, 0, shared.value);
  await_copies();
  __syncthreads();
  const ScoreMixer mixer = kMixed ? ScoreMixer(weights, static_cast<int>(threadIdx.x) % 32) : ScoreMixer();
  for (int block_row = 0; block_row < input.nodes; block_row += kRows) {
    Place place = Place::in_long_instance(input.nodes, instance, block_row);
    place.block_row = place.first_row;
    if (place.instance >= 0) forward_queries<kMixed>(input, shared, mixer, place, result, log_sums);
  }
}

/// What a thread has of a tile's gradients of keys and values, in device memory.
struct Carried {
  float4* numbers;  // of this thread, kWarps * 32 apart

  __device__ Carried(float* all, int nodes, int first_key)
      : numbers(reinterpret_cast<float4*>(all + blockIdx.x * static_cast<long>(carried_by_block(nodes)) +
                                          first_key / 16 * kCarriedOfTile) +
                threadIdx.x) {}

  __device__ void load(TileC (&sum)[kHeadDim / 8]) const {
#pragma unroll
    for (int tile = 0; tile < kHeadDim / 8; ++tile) {
      const float4 four = numbers[tile * kWarps * 32];
      sum[tile] = {{four.x, four.y, four.z, four.w}};
    }
  }
  __device__ void store(const TileC (&sum)[kHeadDim / 8]) const {
#pragma unroll
    for (int tile = 0; tile < kHeadDim / 8; ++tile) {
      const float* value = sum[tile].value;
      numbers[tile * kWarps * 32] = make_float4(value[0], value[1], value[2], value[3]);
    }
  }
};

/// Gradients of 16 keys and values: adds what kRows queries from first_row on bring.
__device__ inline void long_key_value_gradient(const AttentionInput& input, const AttentionGradient& gradient,
                                               const LongBackwardShared& shared, long instance, int first_row,
                                               int first_key) {
  const KeyValueShare share(shared);
  const Carried carried(gradient.carried, input.nodes, first_key);
  TileC sum[kHeadDim / 8] = {};
  if (first_row > 0) carried.load(sum);
  share.add_rows(0, min(kRows, slot_rows(input.nodes - first_row)), sum);
  if (first_row + kRows < input.nodes)
    carried.store(sum);
  else
    share.write(sum, instance, input.nodes, first_key, gradient.joint_gradient);
}

/// Begins to copy the keys and values first_key .. first_key + 15.
__device__ inline void load_keys(const AttentionInput& input, long instance, int first_key,
                                 LongBackwardShared& shared) {
  const int row = first_key % 32;
  load_long_rows(input.joint, 3 * kDim, kDim, input.nodes, instance, first_key,
                 reinterpret_cast<RowsOf<16>&>(shared.key[row]));
  load_long_rows(input.joint, 3 * kDim, 2 * kDim, input.nodes, instance, first_key,
                 reinterpret_cast<RowsOf<16>&>(shared.value[row]));
}

/// kRows queries of one instance.
template <bool kMixed>
__device__ inline void backward_long_rows(const AttentionInput& input, const AttentionGradient& gradient, long instance,
                                          int first_row, LongBackwardShared& shared, const ScoreMixer& mixer,
                                          const MixerTransposed& transposed, MixerSums& sums) {
  load_long_rows(input.joint, 3 * kDim, 0, input.nodes, instance, first_row, shared.query);
  load_long_rows(gradient.result_gradient, kDim, 0, input.nodes, instance, first_row, shared.result_gradient);
  load_keys(input, instance, 0, shared);
  const Place place = Place::in_long_instance(input.nodes, instance, first_row);
  const RowResults results(gradient, place);
  await_copies();
  __syncthreads();
  results.write_sums(place, shared);
  __syncwarp();
  const PositionSums position_sums{gradient.position_partial +
                                   blockIdx.x * static_cast<long>(input.nodes) * input.nodes * kHeads};
  QueryGradient query_gradient = {};
  for (int first_key = 0; first_key < input.nodes; first_key += 16) {
    // Nobody reads the keys before these any more: their queries passed two barriers.
    if (first_key + 16 < input.nodes) load_keys(input, instance, first_key + 16, shared);
    if (place.instance >= 0)
      backward_keys<kMixed>(input, shared, place, mixer, transposed, first_key % 32, first_key, position_sums, sums,
                            query_gradient);
    await_copies();
    __syncthreads();
    long_key_value_gradient(input, gradient, shared, instance, first_row, first_key);
    __syncthreads();
  }
  store_query_gradient(place, query_gradient, gradient.joint_gradient);
}

template <bool kMixed>
__device__ inline void backward_block(const AttentionInput& input, const MixerPointers& weights,
                                      const AttentionGradient& gradient, LongBackwardShared& shared) {
  with_mixer<kMixed>(weights, gradient, shared, [&](const auto& mixer, const auto& transposed, MixerSums& sums) {
    for (long instance = blockIdx.x; instance < input.batch; instance += gridDim.x)
#pragma unroll 1
      for (int first_row = 0; first_row < input.nodes; first_row += kRows)
        backward_long_rows<kMixed>(input, gradient, instance, first_row, shared, mixer, transposed, sums);
  });
}

}  // namespace neuopt::train::cuda::attention
