// Forward pass of the attention: scores of 16 queries with 16 keys at a time, mixed or scaled, running softmax, times
// the values.
#pragma once

#include "train/cuda/attention_tiles.cuh"

namespace neuopt::train::cuda::attention {

template <int kCount>
struct ForwardRows {
  RowsOf<kCount> query, key, value;
};
using ForwardShared = ForwardRows<kRows>;

/// Running softmax of one head: rows g and g + 8.
struct Softmax {
  float largest[2] = {kNothing, kNothing};
  float sum[2] = {0, 0};  // of this lane's keys
};

/// Turns the scores of 16 keys into weights relative to the running maximum and rescales what was summed before.
__device__ inline void add_to_softmax(Softmax& state, TileC& left, TileC& right, TileC (&output)[kHeadDim / 8]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float* l = left.value + 2 * half;
    float* r = right.value + 2 * half;
    const float largest = fmaxf(state.largest[half], quad_max(fmaxf(fmaxf(l[0], l[1]), fmaxf(r[0], r[1]))));
    const float scale = __expf(state.largest[half] - largest);
    state.largest[half] = largest;
    l[0] = __expf(l[0] - largest);
    l[1] = __expf(l[1] - largest);
    r[0] = __expf(r[0] - largest);
    r[1] = __expf(r[1] - largest);
    state.sum[half] = state.sum[half] * scale + (l[0] + l[1]) + (r[0] + r[1]);
#pragma unroll
    for (int tile = 0; tile < kHeadDim / 8; ++tile) {
      output[tile].value[2 * half] *= scale;
      output[tile].value[2 * half + 1] *= scale;
    }
  }
}

/// Masks the keys past the last node.
__device__ inline void mask_keys(TileC (&scores)[kHeads], const Place& place, int first_key) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first_key + 2 * place.quad + i % 2 >= place.nodes) {
#pragma unroll
      for (int head = 0; head < kHeads; ++head) scores[head].value[i] = kNothing;
    }
}

template <bool kMixed, int kCount>
__device__ inline void score_tile(const AttentionInput& input, const ForwardRows<kCount>& shared,
                                  const ScoreMixer& mixer, const Place& place, int first_key, TileC (&scores)[kHeads]) {
  head_products(shared.query[place.block_row], shared.key[place.slot_base + first_key], place.lane, scores);
  if constexpr (kMixed) {
    TileA positions[2];
    load_positions(input.positions, place, first_key, positions);
    mixer.mix(scores, positions);
  } else {
#pragma unroll
    for (int head = 0; head < kHeads; ++head)
#pragma unroll
      for (int i = 0; i < 4; ++i) scores[head].value[i] *= input.scale;
  }
  if (first_key + 8 > place.nodes) mask_keys(scores, place, first_key);
}

__device__ inline void write_head(const Place& place, int head, const Softmax& softmax, TileC (&output)[kHeadDim / 8],
                                  __half* result, float* log_sums) {
  const float sum[2] = {quad_sum(softmax.sum[0]), quad_sum(softmax.sum[1])};
#pragma unroll
  for (int tile = 0; tile < kHeadDim / 8; ++tile) {
#pragma unroll
    for (int i = 0; i < 4; ++i) output[tile].value[i] /= sum[i / 2];
    store_tile(result, kDim, place, head * kHeadDim + 8 * tile, output[tile]);
  }
  if (place.quad == 0) {
    if (place.has_row(0)) log_sums[place.row(0) * kHeads + head] = softmax.largest[0] + __logf(sum[0]);
    if (place.has_row(8)) log_sums[place.row(8) * kHeads + head] = softmax.largest[1] + __logf(sum[1]);
  }
}

/// A warp's 16 queries with all keys of their instance.
template <bool kMixed, int kCount>
__device__ inline void forward_queries(const AttentionInput& input, const ForwardRows<kCount>& shared,
                                       const ScoreMixer& mixer, const Place& place, __half* result, float* log_sums) {
  TileC output[kHeads][kHeadDim / 8] = {};
  Softmax softmax[kHeads];
  for (int first = 0; first < input.nodes; first += 16) {
    TileC left[kHeads], right[kHeads];
    score_tile<kMixed>(input, shared, mixer, place, first, left);
    score_tile<kMixed>(input, shared, mixer, place, first + 8, right);
#pragma unroll
    for (int head = 0; head < kHeads; ++head) {
      add_to_softmax(softmax[head], left[head], right[head], output[head]);
      add_weighted_rows(to_operand(left[head], right[head]), &shared.value[place.slot_base + first][head * kHeadDim],
                        place.lane, output[head]);
    }
  }
#pragma unroll
  for (int head = 0; head < kHeads; ++head) write_head(place, head, softmax[head], output[head], result, log_sums);
}

template <bool kMixed>
__device__ inline void forward_block(const AttentionInput& input, const MixerPointers& weights, ForwardShared& shared,
                                     __half* result, float* log_sums) {
  const long first_instance = static_cast<long>(blockIdx.x) * slots_of_block(input.nodes);
  load_rows(input.joint, 3 * kDim, 0, input.batch, input.nodes, first_instance, shared.query);
  load_rows(input.joint, 3 * kDim, kDim, input.batch, input.nodes, first_instance, shared.key);
  load_rows(input.joint, 3 * kDim, 2 * kDim, input.batch, input.nodes, first_instance, shared.value);
  await_copies();
  __syncthreads();
  const Place place(input.batch, input.nodes, first_instance);
  if (place.instance < 0) return;
  const ScoreMixer mixer = kMixed ? ScoreMixer(weights, place.lane) : ScoreMixer();
  forward_queries<kMixed>(input, shared, mixer, place, result, log_sums);
}

}  // namespace neuopt::train::cuda::attention
