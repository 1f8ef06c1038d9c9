// Synthesis attention of a warp's 16 queries: products with the keys, mixed with the positional scores by a small
// perceptron, running softmax, times the values.
#pragma once

#include "backends/cuda/encoder_rows.cuh"

namespace neuopt::backends::cuda::encoder {

constexpr float kMasked = -1e30f;

__device__ inline float quad_sum(float value) {
  value += __shfl_xor_sync(kAllLanes, value, 1);
  return value + __shfl_xor_sync(kAllLanes, value, 2);
}

__device__ inline float quad_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, 1));
  return fmaxf(value, __shfl_xor_sync(kAllLanes, value, 2));
}

/// Products of the 16 queries with 8 keys for all heads; rows of C are queries, columns keys.
__device__ inline void score_tile(const Rows& query, const Shared& shared, const Place& place, int first_key,
                                  TileC (&scores)[kHeads]) {
  const __half* key = shared.key[place.slot_base + first_key + place.group];
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    scores[head] = TileC{};
#pragma unroll
    for (int step = 0; step < 2; ++step) {
      const __half* at = key + head * kHeadDim + 16 * step + 2 * place.quad;
      multiply_add(scores[head], query.tile[2 * head + step], *reinterpret_cast<const std::uint32_t*>(at),
                   *reinterpret_cast<const std::uint32_t*>(at + 8));
    }
  }
}

/// The positional scores of a tile's pairs.
__device__ inline void load_positions(const __half* position_scores, const Place& place, int first_key,
                                      TileC (&position)[kHeads]) {
  const int stride = position_stride(place.nodes), key = first_key + 2 * place.quad;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = min(place.first_row + place.group + 8 * half, place.nodes - 1);
    const uint4 pairs = *reinterpret_cast<const uint4*>(position_scores + (row * stride + key) * kHeads);
    const float2 left01 = unpack(pairs.x), left23 = unpack(pairs.y);
    const float2 right01 = unpack(pairs.z), right23 = unpack(pairs.w);
    position[0].value[2 * half] = left01.x, position[0].value[2 * half + 1] = right01.x;
    position[1].value[2 * half] = left01.y, position[1].value[2 * half + 1] = right01.y;
    position[2].value[2 * half] = left23.x, position[2].value[2 * half + 1] = right23.x;
    position[3].value[2 * half] = left23.y, position[3].value[2 * half + 1] = right23.y;
  }
}

/// Mixes the products of two neighbouring tiles with the positional scores of the same pairs, in place, and masks keys
/// past the last node. Both tiles share what is read of the mixer.
__device__ inline void mix_tiles(const MixerWeights& mixer, const __half* position_scores, const Place& place,
                                 int first_key, TileC (&scores)[2][kHeads]) {
  TileC position[2][kHeads], mixed[2][kHeads];
#pragma unroll
  for (int tile = 0; tile < 2; ++tile) {
    load_positions(position_scores, place, first_key + 8 * tile, position[tile]);
#pragma unroll
    for (int head = 0; head < kHeads; ++head)
#pragma unroll
      for (int i = 0; i < 4; ++i) mixed[tile][head].value[i] = mixer.bias2[head];
  }
#pragma unroll
  for (int m = 0; m < 8; ++m) {
#pragma unroll
    for (int tile = 0; tile < 2; ++tile) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float hidden = mixer.bias1[m];
#pragma unroll
        for (int head = 0; head < kHeads; ++head) {
          hidden += mixer.input_weight[m][head] * scores[tile][head].value[i];
          hidden += mixer.input_weight[m][kHeads + head] * position[tile][head].value[i];
        }
        hidden = fmaxf(hidden, 0.0f);
#pragma unroll
        for (int head = 0; head < kHeads; ++head) mixed[tile][head].value[i] += mixer.output_weight[m][head] * hidden;
      }
    }
  }
#pragma unroll
  for (int tile = 0; tile < 2; ++tile)
#pragma unroll
    for (int head = 0; head < kHeads; ++head)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const bool there = first_key + 8 * tile + 2 * place.quad + (i & 1) < place.nodes;
        scores[tile][head].value[i] = there ? mixed[tile][head].value[i] : kMasked;
      }
}

/// Running softmax of one head: rows g and g + 8.
struct Softmax {
  float largest[2] = {kMasked, kMasked};
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

/// Synthesis attention of the warp's 16 queries over all keys of the instance; 16 keys at a time.
__device__ inline Rows attend(const Rows& query, const Shared& shared, const MixerWeights& mixer,
                              const __half* position_scores, const Place& place) {
  TileC output[kHeads][kHeadDim / 8] = {};
  Softmax softmax[kHeads];
  for (int first = 0; first < place.nodes; first += 16) {
    TileC scores[2][kHeads];
    score_tile(query, shared, place, first, scores[0]);
    score_tile(query, shared, place, first + 8, scores[1]);
    mix_tiles(mixer, position_scores, place, first, scores);
    // Lane i names row i % 8 of block i / 8; blocks are (keys 0-7, 8-15) x (columns 0-7, 8-15).
    const int key = place.slot_base + first + (place.lane & 15);
    const int column = (place.lane >> 4) * 8;
#pragma unroll
    for (int head = 0; head < kHeads; ++head) {
      add_to_softmax(softmax[head], scores[0][head], scores[1][head], output[head]);
      const TileA weights = to_operand(scores[0][head], scores[1][head]);
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        std::uint32_t b[4];
        load_transposed(&shared.value[key][head * kHeadDim + 16 * pair + column], b);
        multiply_add(output[head][2 * pair], weights, b[0], b[1]);
        multiply_add(output[head][2 * pair + 1], weights, b[2], b[3]);
      }
    }
  }
  Rows result;
#pragma unroll
  for (int head = 0; head < kHeads; ++head) {
    const float scale0 = 1.0f / quad_sum(softmax[head].sum[0]), scale1 = 1.0f / quad_sum(softmax[head].sum[1]);
#pragma unroll
    for (int tile = 0; tile < kHeadDim / 8; ++tile) {
      output[head][tile].value[0] *= scale0;
      output[head][tile].value[1] *= scale0;
      output[head][tile].value[2] *= scale1;
      output[head][tile].value[3] *= scale1;
    }
    result.tile[2 * head] = to_operand(output[head][0], output[head][1]);
    result.tile[2 * head + 1] = to_operand(output[head][2], output[head][3]);
  }
  return result;
}

}  // namespace neuopt::backends::cuda::encoder
