// Backward pass of the attention. Warps own queries and walk over the keys, 16 at a time, all warps of a block in step:
// each recomputes its tile of scores and probabilities and finds the gradient of the scores. Probabilities and score
// gradients of a tile then lie in shared memory, where the warps share out the gradients of its keys and values by
// matrix and head. A block goes through a fixed sequence of instances, so that all sums have a fixed order.
#pragma once

#include "train/cuda/attention_mixer_gradient.cuh"

namespace neuopt::train::cuda::attention {

constexpr int kStageStride = 24;  // halves; for 16 keys, without bank conflicts

template <int kKeys>
struct BackwardRows {
  Rows query;
  RowsOf<kKeys> key, value;
  Rows result_gradient;
  __half score_gradient[kHeads][kRows][kStageStride];
  __half probability[kHeads][kRows][kStageStride];
  float log_sum[kRows][kHeads];
  float dot[kRows][kHeads];  // of result and its gradient, by head
  MixerSumsOfWarps mixer_sum;
};
using BackwardShared = BackwardRows<kRows>;

/// Where the gradient of the positional scores of the block's current instances is summed.
struct PositionSums {
  float* slot;  // (N, N, 4)

  __device__ void add(const Place& place, int key, const TileC (&gradient)[2]) const {
    if (key >= place.nodes) return;
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (place.has_row(8 * half)) {
        const long pair = static_cast<long>(place.first_row + place.group + 8 * half) * place.nodes + key;
        add_to(reinterpret_cast<float4*>(slot) + pair,
               make_float4(gradient[0].value[2 * half], gradient[0].value[2 * half + 1], gradient[1].value[2 * half],
                           gradient[1].value[2 * half + 1]));
      }
  }
};

/// Turns scores into probabilities and gradients of probabilities into gradients of the softmax's argument, for the
/// lane's pairs with its even or odd key of a tile.
template <int kKeys>
__device__ inline void softmax_backward(const BackwardRows<kKeys>& shared, const Place& place, int key, int odd,
                                        TileC (&scores)[kHeads], TileC (&gradient)[kHeads]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = place.block_row + place.group + 8 * half, i = odd + 2 * half;
    const float4 log_sum = *reinterpret_cast<const float4*>(shared.log_sum[row]);
    const float4 dot = *reinterpret_cast<const float4*>(shared.dot[row]);
    const float log_sums[kHeads] = {log_sum.x, log_sum.y, log_sum.z, log_sum.w};
    const float dots[kHeads] = {dot.x, dot.y, dot.z, dot.w};
#pragma unroll
    for (int head = 0; head < kHeads; ++head) {
      const float probability = key < place.nodes ? __expf(scores[head].value[i] - log_sums[head]) : 0.0f;
      scores[head].value[i] = probability;
      gradient[head].value[i] = probability * (gradient[head].value[i] - dots[head]);
    }
  }
}

/// Backward through softmax and mixer for one key of each lane in a tile: `scores` holds products and becomes
/// probabilities, `gradient` is that of the probabilities and becomes that of the products.
template <int kKeys>
__device__ inline void mixed_backward(const BackwardRows<kKeys>& shared, const Place& place, const ScoreMixer& mixer,
                                      const MixerTransposed& transposed, const TileA& positions, int first_key, int odd,
                                      const PositionSums& position_sums, MixerSums& sums, TileC (&scores)[kHeads],
                                      TileC (&gradient)[kHeads]) {
  const int key = first_key + 2 * place.quad + odd;
  const TileA products = own_numbers(scores, odd);
  TileC hidden[4], gathered[2];
  TileA units[2], unit_gradient[2];
  mixer.hidden_units(products, positions, hidden);
  ScoreMixer::positive_units(hidden, units);
  mixer.outputs(units, gathered);
  put_back(gathered, odd, scores);
  softmax_backward(shared, place, key, odd, scores, gradient);
  const TileA head_gradient = own_numbers(gradient, odd);
  TileC hidden_gradient[4] = {};
  spread(head_gradient, transposed.heads_to_units, hidden_gradient);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      hidden_gradient[j].value[i] = hidden[j].value[i] > 0 ? hidden_gradient[j].value[i] : 0.0f;
      sums.bias1[i % 2] += hidden_gradient[j].value[i];
    }
  }
  unit_gradient[0] = to_operand(hidden_gradient[0], hidden_gradient[1]);
  unit_gradient[1] = to_operand(hidden_gradient[2], hidden_gradient[3]);
  add_mixer_gradient(products, positions, head_gradient, units, unit_gradient, place.lane, sums);
  gathered[0] = gathered[1] = TileC{};
  gather(unit_gradient, transposed.units_to_positions, gathered);
  position_sums.add(place, key, gathered);
  gathered[0] = gathered[1] = TileC{};
  gather(unit_gradient, transposed.units_to_products, gathered);
  put_back(gathered, odd, gradient);
}

/// The same for plain attention.
template <int kKeys>
__device__ inline void scaled_backward(const BackwardRows<kKeys>& shared, const Place& place, float scale,
                                       int first_key, TileC (&scores)[kHeads], TileC (&gradient)[kHeads]) {
#pragma unroll
  for (int head = 0; head < kHeads; ++head)
#pragma unroll
    for (int i = 0; i < 4; ++i) scores[head].value[i] *= scale;
#pragma unroll
  for (int odd = 0; odd < 2; ++odd)
    softmax_backward(shared, place, first_key + 2 * place.quad + odd, odd, scores, gradient);
#pragma unroll
  for (int head = 0; head < kHeads; ++head)
#pragma unroll
    for (int i = 0; i < 4; ++i) gradient[head].value[i] *= scale;
}

/// Puts a tile of 8 keys into the block's stage.
template <int kKeys>
__device__ inline void stage_tile(BackwardRows<kKeys>& shared, const Place& place, int column,
                                  const TileC (&scores)[kHeads], const TileC (&gradient)[kHeads]) {
#pragma unroll
  for (int head = 0; head < kHeads; ++head)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = place.block_row + place.group + 8 * half, at = column + 2 * place.quad;
      *reinterpret_cast<std::uint32_t*>(&shared.probability[head][row][at]) =
          pack(scores[head].value[2 * half], scores[head].value[2 * half + 1]);
      *reinterpret_cast<std::uint32_t*>(&shared.score_gradient[head][row][at]) =
          pack(gradient[head].value[2 * half], gradient[head].value[2 * half + 1]);
    }
}

/// The warps share out the gradients of 16 keys and values: a warp takes one matrix and head.
struct KeyValueShare {
  int lane, head;
  bool values;  // or keys
  const __half (*stage)[kStageStride];
  const __half (*rows)[kStride];

  template <int kKeys>
  __device__ explicit KeyValueShare(const BackwardRows<kKeys>& shared) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    lane = static_cast<int>(threadIdx.x) % 32;
    head = warp % 4;
    values = warp >= 4;
    stage = values ? shared.probability[head] : shared.score_gradient[head];
    rows = values ? shared.result_gradient : shared.query;
  }

  /// Adds what the block's rows first .. last - 1 bring.
  __device__ void add_rows(int first, int last, TileC (&sum)[kHeadDim / 8]) const {
    for (int row = first; row < last; row += 16)
      add_weighted_rows(load_transposed_operand(stage[row], kStageStride, lane), &rows[row][head * kHeadDim], lane,
                        sum);
  }

  __device__ void write(const TileC (&sum)[kHeadDim / 8], long instance, int nodes, int first_key,
                        __half* joint_gradient) const {
    const int column = (values ? 2 : 1) * kDim + head * kHeadDim + 2 * (lane % 4);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int key = first_key + lane / 4 + 8 * half;
      if (key >= nodes) continue;
      __half* at = joint_gradient + (instance * nodes + key) * 3 * kDim + column;
#pragma unroll
      for (int tile = 0; tile < kHeadDim / 8; ++tile)
        *reinterpret_cast<std::uint32_t*>(at + 8 * tile) =
            pack(sum[tile].value[2 * half], sum[tile].value[2 * half + 1]);
    }
  }
};

/// Gradients of 16 keys and values of every instance of the block.
template <int kKeys>
__device__ inline void key_value_gradient(const AttentionInput& input, const BackwardRows<kKeys>& shared,
                                          long first_instance, int first_key, __half* joint_gradient) {
  const KeyValueShare share(shared);
  const int slot_size = slot_rows(input.nodes);
  for (int slot = 0; slot < slots_of_block(input.nodes); ++slot) {
    const long instance = first_instance + slot;
    if (instance >= input.batch) break;
    TileC sum[kHeadDim / 8] = {};
    share.add_rows(slot * slot_size, (slot + 1) * slot_size, sum);
    share.write(sum, instance, input.nodes, first_key, joint_gradient);
  }
}

/// What a warp's 16 rows bring from the forward pass, on its way to registers all at once: lane l has channels
/// 4 l .. 4 l + 3 of every row's result.
struct RowResults {
  uint2 result[16];
  float log_sum[2];  // numbers l and l + 32 of the 16 rows x 4 heads

  __device__ RowResults(const AttentionGradient& gradient, const Place& place) {
    const long first = place.instance * place.nodes + place.first_row;
    const int rows = place.instance >= 0 ? place.nodes - place.first_row : 0;
#pragma unroll
    for (int r = 0; r < 16; ++r)
      result[r] = r < rows ? *reinterpret_cast<const uint2*>(gradient.result + (first + r) * kDim + 4 * place.lane)
                           : uint2{0, 0};
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int number = place.lane + 32 * i;
      // Rows past the last node: a number that makes all probabilities zero.
      log_sum[i] = number / kHeads < rows ? gradient.log_sums[first * kHeads + number] : -kNothing;
    }
  }

  /// Puts the logarithms of the denominators, and the products of each row's result with its gradient, into shared
  /// memory.
  template <int kKeys>
  __device__ void write_sums(const Place& place, BackwardRows<kKeys>& shared) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) (&shared.log_sum[place.block_row][0])[place.lane + 32 * i] = log_sum[i];
#pragma unroll
    for (int r = 0; r < 16; ++r) {
      const uint2 of_result =
          *reinterpret_cast<const uint2*>(&shared.result_gradient[place.block_row + r][4 * place.lane]);
      const float2 a = unpack(result[r].x), b = unpack(result[r].y), c = unpack(of_result.x), d = unpack(of_result.y);
      float sum = a.x * c.x + a.y * c.y + b.x * d.x + b.y * d.y;
#pragma unroll
      for (int offset = 1; offset < 8; offset *= 2) sum += __shfl_xor_sync(kAllLanes, sum, offset);
      if (place.lane % 8 == 0) shared.dot[place.block_row + r][place.lane / 8] = sum;
    }
  }
};

/// A warp's tile of 8 keys: probabilities and score gradients into the stage. key_row: where the first
/// of 16 keys lies in shared memory.
template <bool kMixed, int kKeys>
__device__ inline void backward_tile(const AttentionInput& input, BackwardRows<kKeys>& shared, const Place& place,
                                     const ScoreMixer& mixer, const MixerTransposed& transposed, int key_row,
                                     int first_key, int column, const PositionSums& position_sums, MixerSums& sums) {
  TileC scores[kHeads], gradient[kHeads];
  head_products(shared.query[place.block_row], shared.key[key_row + column], place.lane, scores);
  head_products(shared.result_gradient[place.block_row], shared.value[key_row + column], place.lane, gradient);
  if constexpr (kMixed) {
    TileA positions[2];
    load_positions(input.positions, place, first_key + column, positions);
#pragma unroll
    for (int odd = 0; odd < 2; ++odd)
      mixed_backward(shared, place, mixer, transposed, positions[odd], first_key + column, odd, position_sums, sums,
                     scores, gradient);
  } else {
    scaled_backward(shared, place, input.scale, first_key + column, scores, gradient);
  }
  stage_tile(shared, place, column, scores, gradient);
}

using QueryGradient = TileC[kHeads][kHeadDim / 8];

/// A warp's 16 queries with 16 keys: fills the stage and adds to the gradient of the queries.
template <bool kMixed, int kKeys>
__device__ inline void backward_keys(const AttentionInput& input, BackwardRows<kKeys>& shared, const Place& place,
                                     const ScoreMixer& mixer, const MixerTransposed& transposed, int key_row,
                                     int first_key, const PositionSums& position_sums, MixerSums& sums,
                                     QueryGradient& query_gradient) {
#pragma unroll 1
  for (int column = 0; column < 16; column += 8)
    backward_tile<kMixed>(input, shared, place, mixer, transposed, key_row, first_key, column, position_sums, sums);
  __syncwarp();
#pragma unroll
  for (int head = 0; head < kHeads; ++head)
    add_weighted_rows(load_operand(shared.score_gradient[head][place.block_row], kStageStride, place.lane),
                      &shared.key[key_row][head * kHeadDim], place.lane, query_gradient[head]);
}

__device__ inline void store_query_gradient(const Place& place, const QueryGradient& query_gradient,
                                            __half* joint_gradient) {
#pragma unroll
  for (int head = 0; head < kHeads; ++head)
#pragma unroll
    for (int tile = 0; tile < kHeadDim / 8; ++tile)
      store_tile(joint_gradient, 3 * kDim, place, head * kHeadDim + 8 * tile, query_gradient[head][tile]);
}

/// One group of instances, as many as the block has room for.
template <bool kMixed>
__device__ inline void backward_instances(const AttentionInput& input, const AttentionGradient& gradient,
                                          long first_instance, BackwardShared& shared, const ScoreMixer& mixer,
                                          const MixerTransposed& transposed, MixerSums& sums) {
  load_rows(input.joint, 3 * kDim, 0, input.batch, input.nodes, first_instance, shared.query);
  load_rows(input.joint, 3 * kDim, kDim, input.batch, input.nodes, first_instance, shared.key);
  load_rows(input.joint, 3 * kDim, 2 * kDim, input.batch, input.nodes, first_instance, shared.value);
  load_rows(gradient.result_gradient, kDim, 0, input.batch, input.nodes, first_instance, shared.result_gradient);
  const Place place(input.batch, input.nodes, first_instance);
  const RowResults results(gradient, place);
  await_copies();
  __syncthreads();
  results.write_sums(place, shared);
  __syncwarp();
  const long slots = slots_of_block(input.nodes);
  const PositionSums position_sums{gradient.position_partial + (blockIdx.x * slots + place.slot) * input.nodes *
                                                                   static_cast<long>(input.nodes) * kHeads};
  QueryGradient query_gradient = {};
  for (int first_key = 0; first_key < input.nodes; first_key += 16) {
    if (place.instance >= 0)
      backward_keys<kMixed>(input, shared, place, mixer, transposed, place.slot_base + first_key, first_key,
                            position_sums, sums, query_gradient);
    __syncthreads();
    key_value_gradient(input, shared, first_instance, first_key, gradient.joint_gradient);
    __syncthreads();
  }
  store_query_gradient(place, query_gradient, gradient.joint_gradient);
}

/// Calls work(mixer, transposed, sums), which adds what all instances of the block bring to the sums, and writes these.
template <bool kMixed, class Shared, class Work>
__device__ inline void with_mixer(const MixerPointers& weights, const AttentionGradient& gradient, Shared& shared,
                                  Work&& work) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const ScoreMixer mixer = kMixed ? ScoreMixer(weights, lane) : ScoreMixer();
  const MixerTransposed transposed = kMixed ? MixerTransposed(weights, lane) : MixerTransposed();
  MixerSums sums;
  work(mixer, transposed, sums);
  if constexpr (kMixed)
    write_mixer_sums(sums, shared.mixer_sum, gradient.mixer_partial + static_cast<long>(blockIdx.x) * kMixerParameters);
}

template <bool kMixed>
__device__ inline void backward_block(const AttentionInput& input, const MixerPointers& weights,
                                      const AttentionGradient& gradient, BackwardShared& shared) {
  with_mixer<kMixed>(weights, gradient, shared, [&](const auto& mixer, const auto& transposed, MixerSums& sums) {
    const long slots = slots_of_block(input.nodes);
    for (long first = blockIdx.x * slots; first < input.batch; first += gridDim.x * slots)
      backward_instances<kMixed>(input, gradient, first, shared, mixer, transposed, sums);
  });
}

}  // namespace neuopt::train::cuda::attention
