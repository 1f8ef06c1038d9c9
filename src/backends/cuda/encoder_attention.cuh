// Synthesis attention of a warp's 16 queries: products with the keys, mixed with the positional scores by a small
// perceptron, softmax, times the values.
//
// Scores are in units of ln 2, and a softmax may subtract any number from the scores of a row. That number, the row's
// reference, is subtracted by the mixer; it is moved only when a score rises so far above it that a weight would leave
// the range of half precision.
#pragma once

#include "backends/cuda/encoder_rows.cuh"
#include "device/device_math.cuh"
#include "device/score_mixer.cuh"

namespace neuopt::backends::cuda::encoder {

constexpr float kMasked = -1e30f;
constexpr float kHeadroom = 8.0f;  // a reference lies so many powers of 2 above the largest score it was made for

/// Sums of a lane's weights for rows g and g + 8.
struct WeightSums {
  float of[kHeads][2];
};

/// Sums over the keys done so far.
struct Attended {
  TileC values[kHeads][kHeadDim / 8];
  WeightSums weights;
};

/// A warp's queries in its registers, or in shared memory.
struct HeldQueries {
  const Rows& rows;

  __device__ TileA tile(int step) const { return rows.tile[step]; }
};
struct KeptQueries {
  const uint4* own_row;

  __device__ KeptQueries(std::uint32_t (&room)[kSteps][4][32], const Rows& rows, int lane)
      : own_row(reinterpret_cast<const uint4*>(room) + lane) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int part = 0; part < 4; ++part) room[step][part][lane] = rows.tile[step].part[part];
    __syncwarp();
  }

  __device__ TileA tile(int step) const {
    TileA result;
    load_blocks(own_row + 32 * step, result.part);
    return result;
  }
};

/// Products of the 16 queries with 16 keys for all heads; rows of C are queries, columns keys.
template <class Shared, class Queries>
__device__ void score_tiles(const Queries& queries, const Shared& shared, const Place& place, int first_key,
                            TileC (&scores)[2][kHeads]) {
  const __half* key = &shared.key[place.slot_base + first_key + place.lane % 8][place.lane / 8 * 8];
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    const TileA left = queries.tile(2 * head), right = queries.tile(2 * head + 1);
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
      std::uint32_t b[4];
      load_blocks(key + 8 * tile * kRowStride + head * kHeadDim, b);
      scores[tile][head] = TileC{};
      multiply_add(scores[tile][head], left, b[0], b[1]);
      multiply_add(scores[tile][head], right, b[2], b[3]);
    }
  }
}

/// Mixes the products of two neighbouring tiles with their positional scores, in place, less the rows' reference.
__device__ inline void mix_tiles(const JointMixer& mixer, const uint4* positions, const TileC (&start)[2],
                                 TileC (&scores)[2][kHeads]) {
#pragma unroll
  for (int tile = 0; tile < 2; ++tile) {
    TileA position[2];
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      const uint4 own = positions[(2 * tile + odd) * 32];
      position[odd] = TileA{{own.x, own.y, own.z, own.w}};
    }
    mixer.mix(scores[tile], position, start);
  }
}

/// Masks the keys from `nodes` on; `first` is the lane's first key.
__device__ inline void mask_keys(int first, int nodes, TileC (&scores)[2][kHeads]) {
#pragma unroll
  for (int tile = 0; tile < 2; ++tile)
#pragma unroll
    for (int head = 0; head < kHeads; ++head)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        if (first + 8 * tile + (i & 1) >= nodes) scores[tile][head].value[i] = kMasked;
}

/// Raises the rows' references for these 16 keys and rescales what was summed before. The first time they may be
/// lowered too.
__device__ inline void move_references(bool first_time, TileC (&scores)[2][kHeads], TileC (&start)[2], Attended& sums) {
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int head = 0; head < kHeads; ++head) {
      float* left = scores[0][head].value + 2 * half;
      float* right = scores[1][head].value + 2 * half;
      const float largest = quad_max(fmaxf(fmaxf(left[0], left[1]), fmaxf(right[0], right[1]))) + kHeadroom;
      const float rise = first_time ? largest : fmaxf(largest, 0.0f);
      start[head / 2].value[2 * half + head % 2] -= rise;
      left[0] -= rise;
      left[1] -= rise;
      right[0] -= rise;
      right[1] -= rise;
      const float scale = first_time ? 1.0f : fast_exp2(-rise);
      sums.weights.of[head][half] *= scale;
#pragma unroll
      for (int tile = 0; tile < kHeadDim / 8; ++tile) {
        sums.values[head][tile].value[2 * half] *= scale;
        sums.values[head][tile].value[2 * half + 1] *= scale;
      }
    }
}

/// The weights of 16 keys as operands: powers of 2 of the scores.
__device__ inline void weigh(const TileC (&scores)[2][kHeads], TileA (&weights)[kHeads], WeightSums& sums) {
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    TileC power[2];
#pragma unroll
    for (int tile = 0; tile < 2; ++tile)
#pragma unroll
      for (int i = 0; i < 4; ++i) power[tile].value[i] = fast_exp2(scores[tile][head].value[i]);
    weights[head] = to_operand(power[0], power[1]);
#pragma unroll
    for (int half = 0; half < 2; ++half)
      sums.of[head][half] = (power[0].value[2 * half] + power[0].value[2 * half + 1]) +
                            (power[1].value[2 * half] + power[1].value[2 * half + 1]);
  }
}

/// Whether a weight of the warp is 2 or more: then a bit of its exponent is set that smaller ones do not have.
__device__ inline bool too_large(const TileA (&weights)[kHeads]) {
  std::uint32_t bits = 0;
#pragma unroll
  for (int head = 0; head < kHeads; ++head)
#pragma unroll
    for (int i = 0; i < 4; ++i) bits |= weights[head].part[i];
  return __any_sync(kAllLanes, (bits & 0x40004000u) != 0);
}

/// Adds the values of 16 keys.
template <class Shared>
__device__ void add_values(const Shared& shared, const Place& place, int first_key, const TileA (&weights)[kHeads],
                           const WeightSums& weight_sums, Attended& sums) {
  // Lane i names row i % 8 of block i / 8; blocks are (keys 0-7, 8-15) x (columns 0-7, 8-15).
  const __half* value = &shared.value[place.slot_base + first_key + (place.lane & 15)][(place.lane >> 4) * 8];
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    sums.weights.of[head][0] += weight_sums.of[head][0];
    sums.weights.of[head][1] += weight_sums.of[head][1];
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      std::uint32_t b[4];
      load_transposed(value + head * kHeadDim + 16 * pair, b);
      multiply_add(sums.values[head][2 * pair], weights[head], b[0], b[1]);
      multiply_add(sums.values[head][2 * pair + 1], weights[head], b[2], b[3]);
    }
  }
}

/// The sums over all keys of the instance, 16 at a time. start: the mixer's biases, less the references.
template <class Shared, class Queries>
__device__ Attended sum_over_keys(const Queries& queries, const Shared& shared, const JointMixer& mixer,
                                  TileC (&start)[2], const uint4* positions, const Place& place) {
  Attended sums = {};
  for (int first = 0; first < place.nodes; first += 16, positions += 4 * 32) {
    TileC scores[2][kHeads];
    TileA weights[kHeads];
    WeightSums weight_sums;
    score_tiles(queries, shared, place, first, scores);
    mix_tiles(mixer, positions, start, scores);
    if (first + 16 > place.nodes) mask_keys(first + 2 * place.quad, place.nodes, scores);
    if (first > 0) weigh(scores, weights, weight_sums);
    if (first == 0 || too_large(weights)) {
      move_references(first == 0, scores, start, sums);
      weigh(scores, weights, weight_sums);
    }
    add_values(shared, place, first, weights, weight_sums, sums);
  }
  return sums;
}

__device__ inline MixerPointers mixer_pointers(const MixerWeights& mixer) {
  return {&mixer.weight1[0][0], mixer.bias1, &mixer.weight2[0][0], mixer.bias2};
}

/// Synthesis attention of the warp's 16 queries over all keys of the instance.
template <class Shared>
__device__ Rows attend(const Rows& query, Shared& shared, const MixerWeights& weights, const uint4* positions,
                       const Place& place) {
  const JointMixer mixer(mixer_pointers(weights), place.lane);
  positions += place.first_row / 16 * node_tiles(place.nodes) * 4 * 32 + place.lane;
  TileC start[2];
  start_outputs(weights.bias2, start);
  Attended sums;
  if constexpr (Shared::kKeepsQueries)
    sums =
        sum_over_keys(KeptQueries(shared.query[place.warp], query, place.lane), shared, mixer, start, positions, place);
  else
    sums = sum_over_keys(HeldQueries{query}, shared, mixer, start, positions, place);
  Rows result;
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    const float sum0 = quad_sum(sums.weights.of[head][0]), sum1 = quad_sum(sums.weights.of[head][1]);
    const float scale0 = place.has_row(0) ? __fdividef(1.0f, sum0) : 0.0f;
    const float scale1 = place.has_row(8) ? __fdividef(1.0f, sum1) : 0.0f;
    TileC(&values)[kHeadDim / 8] = sums.values[head];
#pragma unroll
    for (int tile = 0; tile < kHeadDim / 8; ++tile) {
      values[tile].value[0] *= scale0;
      values[tile].value[1] *= scale0;
      values[tile].value[2] *= scale1;
      values[tile].value[3] *= scale1;
    }
    result.tile[2 * head] = to_operand(values[0], values[1]);
    result.tile[2 * head + 1] = to_operand(values[2], values[3]);
  }
  return result;
}

}  // namespace neuopt::backends::cuda::encoder
