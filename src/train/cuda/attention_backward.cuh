// Backward pass of the attention. Warps own queries and walk over the keys, 16 at a time, all warps of a block in step:
// each recomputes its tile of scores and probabilities and finds the gradient of the scores. Probabilities and score
// gradients of a tile then lie in shared memory, where the warps share out the gradients of its keys and values by
// matrix and head. A block goes through a fixed sequence of instances, so that all sums have a fixed order.
#pragma once

#include "train/cuda/attention_tiles.cuh"

namespace neuopt::train::cuda::attention {

constexpr int kStageStride = 24;  // halves; for 16 keys, without bank conflicts

struct BackwardShared {
  Rows query, key, value, result_gradient;
  __half score_gradient[kHeads][kRows][kStageStride];
  __half probability[kHeads][kRows][kStageStride];
  float log_sum[kRows][kHeads];
  float dot[kRows][kHeads];  // of result and its gradient, by head
  float mixer_sum[kWarps][kMixerParameters];
};

/// The mixer's matrices of the backward pass in a lane's registers.
struct MixerTransposed {
  SpreadMatrix heads_to_units;
  GatherMatrix units_to_products, units_to_positions;

  MixerTransposed() = default;
  __device__ MixerTransposed(const MixerPointers& mixer, int lane)
      : heads_to_units(spread_matrix(lane, {mixer.weight2, kMixerUnits, 1})),
        units_to_products(gather_matrix(lane, {mixer.weight1, kMixerUnits, 1})),
        units_to_positions(gather_matrix(lane, {mixer.weight1 + kHeads, kMixerUnits, 1})) {}
};

/// Sums of the mixer's gradients. In the three tiles, row m < 8 is number m % 2 of the quad's key m / 2, row m >= 8
/// number 2 + m % 2 of key m / 2 - 4; columns are units. The second bias has no gradient: the softmax ignores it.
struct MixerSums {
  TileC products{}, positions{}, heads{};
  float bias1[2] = {0, 0};  // of units 2t, 2t + 1
};

/// The four numbers of each of 16 pairs with four keys, transposed: an A tile with the rows of MixerSums.
__device__ inline TileA numbers_by_pair(const TileA& own) {
  return {{transpose_block(own.part[0]), transpose_block(own.part[2]), transpose_block(own.part[1]),
           transpose_block(own.part[3])}};
}

/// Leaves the rows of key j.
__device__ inline TileA rows_of_key(const TileA& tile, int lane, int j) {
  const bool kept = lane / 8 == j;
  return {{kept ? tile.part[0] : 0u, kept ? tile.part[1] : 0u, kept ? tile.part[2] : 0u, kept ? tile.part[3] : 0u}};
}

/// Adds one key group's (16 queries, four keys) share to the mixer's gradients.
__device__ inline void add_mixer_gradient(const TileA& products, const TileA& positions, const TileA& head_gradient,
                                          const TileA (&units)[2], const TileA (&unit_gradient)[2], int lane,
                                          MixerSums& sums) {
  const TileA by_product = numbers_by_pair(products), by_position = numbers_by_pair(positions);
  const TileA by_head = numbers_by_pair(head_gradient);
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int part = j % 2 * 2;
    const std::uint32_t gradient0 = transpose_block(unit_gradient[j / 2].part[part]);
    const std::uint32_t gradient1 = transpose_block(unit_gradient[j / 2].part[part + 1]);
    multiply_add(sums.products, rows_of_key(by_product, lane, j), gradient0, gradient1);
    multiply_add(sums.positions, rows_of_key(by_position, lane, j), gradient0, gradient1);
    multiply_add(sums.heads, rows_of_key(by_head, lane, j), transpose_block(units[j / 2].part[part]),
                 transpose_block(units[j / 2].part[part + 1]));
  }
}

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
__device__ inline void softmax_backward(const BackwardShared& shared, const Place& place, int key, int odd,
                                        TileC (&scores)[kHeads], TileC (&gradient)[kHeads]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = place.warp * 16 + place.group + 8 * half, i = odd + 2 * half;
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
__device__ inline void mixed_backward(const BackwardShared& shared, const Place& place, const ScoreMixer& mixer,
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
__device__ inline void scaled_backward(const BackwardShared& shared, const Place& place, float scale, int first_key,
                                       TileC (&scores)[kHeads], TileC (&gradient)[kHeads]) {
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
__device__ inline void stage_tile(BackwardShared& shared, const Place& place, int column, const TileC (&scores)[kHeads],
                                  const TileC (&gradient)[kHeads]) {
#pragma unroll
  for (int head = 0; head < kHeads; ++head)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = place.warp * 16 + place.group + 8 * half, at = column + 2 * place.quad;
      *reinterpret_cast<std::uint32_t*>(&shared.probability[head][row][at]) =
          pack(scores[head].value[2 * half], scores[head].value[2 * half + 1]);
      *reinterpret_cast<std::uint32_t*>(&shared.score_gradient[head][row][at]) =
          pack(gradient[head].value[2 * half], gradient[head].value[2 * half + 1]);
    }
}

/// Gradients of 16 keys and values of every instance of the block: a warp takes one matrix and head.
__device__ inline void key_value_gradient(const AttentionInput& input, const BackwardShared& shared,
                                          long first_instance, int first_key, __half* joint_gradient) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int head = warp % 4;
  const bool values = warp >= 4;
  const auto& stage = values ? shared.probability[head] : shared.score_gradient[head];
  const Rows& rows = values ? shared.result_gradient : shared.query;
  const int slot_size = slot_rows(input.nodes);
  for (int slot = 0; slot < slots_of_block(input.nodes); ++slot) {
    const long instance = first_instance + slot;
    if (instance >= input.batch) break;
    TileC sum[kHeadDim / 8] = {};
    for (int row = slot * slot_size; row < (slot + 1) * slot_size; row += 16)
      add_weighted_rows(load_transposed_operand(stage[row], kStageStride, lane), &rows[row][head * kHeadDim], lane,
                        sum);
    const int column = (values ? 2 : 1) * kDim + head * kHeadDim + 2 * (lane % 4);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int key = first_key + lane / 4 + 8 * half;
      if (key >= input.nodes) continue;
      __half* at = joint_gradient + (instance * input.nodes + key) * 3 * kDim + column;
#pragma unroll
      for (int tile = 0; tile < kHeadDim / 8; ++tile)
        *reinterpret_cast<std::uint32_t*>(at + 8 * tile) =
            pack(sum[tile].value[2 * half], sum[tile].value[2 * half + 1]);
    }
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
  __device__ void write_sums(const Place& place, BackwardShared& shared) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) (&shared.log_sum[place.warp * 16][0])[place.lane + 32 * i] = log_sum[i];
#pragma unroll
    for (int r = 0; r < 16; ++r) {
      const uint2 of_result =
          *reinterpret_cast<const uint2*>(&shared.result_gradient[place.warp * 16 + r][4 * place.lane]);
      const float2 a = unpack(result[r].x), b = unpack(result[r].y), c = unpack(of_result.x), d = unpack(of_result.y);
      float sum = a.x * c.x + a.y * c.y + b.x * d.x + b.y * d.y;
#pragma unroll
      for (int offset = 1; offset < 8; offset *= 2) sum += __shfl_xor_sync(kAllLanes, sum, offset);
      if (place.lane % 8 == 0) shared.dot[place.warp * 16 + r][place.lane / 8] = sum;
    }
  }
};

/// Writes a block's mixer gradients, in the order of kMixerParameters.
__device__ inline void write_mixer_sums(const MixerSums& sums, BackwardShared& shared, float* block_sums) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32, quad = lane % 4;
  float* mine = shared.mixer_sum[warp];
  float bias[2] = {sums.bias1[0], sums.bias1[1]};
  TileC tiles[3] = {sums.products, sums.positions, sums.heads};
#pragma unroll
  for (int offset = 4; offset < 32; offset *= 2) {
#pragma unroll
    for (int i = 0; i < 2; ++i) bias[i] += __shfl_xor_sync(kAllLanes, bias[i], offset);
    if (offset == 4) continue;  // lanes 4 apart hold different numbers
#pragma unroll
    for (TileC& tile : tiles)
#pragma unroll
      for (float& value : tile.value) value += __shfl_xor_sync(kAllLanes, value, offset);
  }
  if (lane < 8) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int number = lane / 4 + 2 * (i / 2), unit = 2 * quad + i % 2;
      mine[unit * 8 + number] = tiles[0].value[i];
      mine[unit * 8 + 4 + number] = tiles[1].value[i];
      mine[kMixerWeight2At + number * 8 + unit] = tiles[2].value[i];
    }
  }
  if (lane < 4) {
    mine[kMixerBias1At + 2 * quad] = bias[0];
    mine[kMixerBias1At + 2 * quad + 1] = bias[1];
    mine[kMixerBias2At + quad] = 0;
  }
  __syncthreads();
  for (int p = static_cast<int>(threadIdx.x); p < kMixerParameters; p += kWarps * 32) {
    float sum = 0;
    for (int w = 0; w < kWarps; ++w) sum += shared.mixer_sum[w][p];
    block_sums[p] = sum;
  }
}

/// A warp's tile of 8 keys: probabilities and score gradients into the stage.
template <bool kMixed>
__device__ inline void backward_tile(const AttentionInput& input, BackwardShared& shared, const Place& place,
                                     const ScoreMixer& mixer, const MixerTransposed& transposed, int first_key,
                                     int column, const PositionSums& position_sums, MixerSums& sums) {
  TileC scores[kHeads], gradient[kHeads];
  const int warp_row = place.warp * 16, key_row = place.slot_base + first_key + column;
  head_products(shared.query[warp_row], shared.key[key_row], place.lane, scores);
  head_products(shared.result_gradient[warp_row], shared.value[key_row], place.lane, gradient);
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
  TileC query_gradient[kHeads][kHeadDim / 8] = {};
  for (int first_key = 0; first_key < input.nodes; first_key += 16) {
    if (place.instance >= 0) {
#pragma unroll 1
      for (int column = 0; column < 16; column += 8)
        backward_tile<kMixed>(input, shared, place, mixer, transposed, first_key, column, position_sums, sums);
      __syncwarp();
#pragma unroll
      for (int head = 0; head < kHeads; ++head)
        add_weighted_rows(load_operand(shared.score_gradient[head][place.warp * 16], kStageStride, place.lane),
                          &shared.key[place.slot_base + first_key][head * kHeadDim], place.lane, query_gradient[head]);
    }
    __syncthreads();
    key_value_gradient(input, shared, first_instance, first_key, gradient.joint_gradient);
    __syncthreads();
  }
#pragma unroll
  for (int head = 0; head < kHeads; ++head)
#pragma unroll
    for (int tile = 0; tile < kHeadDim / 8; ++tile)
      store_tile(gradient.joint_gradient, 3 * kDim, place, head * kHeadDim + 8 * tile, query_gradient[head][tile]);
}

template <bool kMixed>
__device__ inline void backward_block(const AttentionInput& input, const MixerPointers& weights,
                                      const AttentionGradient& gradient, BackwardShared& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const ScoreMixer mixer = kMixed ? ScoreMixer(weights, lane) : ScoreMixer();
  const MixerTransposed transposed = kMixed ? MixerTransposed(weights, lane) : MixerTransposed();
  MixerSums sums;
  const long slots = slots_of_block(input.nodes);
  for (long first = blockIdx.x * slots; first < input.batch; first += gridDim.x * slots)
    backward_instances<kMixed>(input, gradient, first, shared, mixer, transposed, sums);
  if constexpr (kMixed)
    write_mixer_sums(sums, shared, gradient.mixer_partial + static_cast<long>(blockIdx.x) * kMixerParameters);
}

}  // namespace neuopt::train::cuda::attention
