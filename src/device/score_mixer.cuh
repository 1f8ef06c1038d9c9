// The perceptron that mixes 4 products of query and key with 4 positional scores into 4 (8 -> 8 -> 4), on tensor cores.
//
// In a C tile of scores a lane holds its own pairs (query, key), with the four heads in four tiles. To multiply by a
// weight matrix, the heads must lie along the product's inner dimension, which is spread over the four lanes of a quad.
// Instead of moving numbers between lanes, the quad's lanes keep to their own four inner places, and the weights are
// laid out so that a lane's places meet zeros except in the product meant for it:
//
//   first layer   one A tile holds the heads of four keys, key t in the places of lane t. Product number j has weights
//                 for lane j only: its C tile has the hidden units of key j.
//   second layer  two hidden C tiles are an A tile (inner dimension: units of two keys). The weights send the
//                 outputs of key t to the columns that lane t holds, so all heads of a pair end up where they started.
//
// The backward pass has the same two shapes with the matrices transposed.
#pragma once

#include "device/mixer_pointers.h"
#include "device/tensor_core.cuh"

namespace neuopt {

/// B tiles from four inputs of each of four keys to 8 outputs: number j serves key j.
struct SpreadMatrix {
  std::uint32_t tile[4][2];
};

/// B tiles from 8 inputs of each of four keys to 4 outputs: [keys 0, 1 or 2, 3][outputs 0, 1 or 2, 3].
struct GatherMatrix {
  std::uint32_t tile[2][2][2];
};

/// A small matrix in memory: number (input, output) lies at input * input_stride + output * output_stride.
struct SmallMatrix {
  const float* numbers;
  int input_stride, output_stride;

  __device__ float operator()(int input, int output) const {
    return numbers[input * input_stride + output * output_stride];
  }
};

/// For 4 inputs and 8 outputs.
__device__ __forceinline__ SpreadMatrix spread_matrix(int lane, const SmallMatrix& weight) {
  const int unit = lane / 4, quad = lane % 4;
  const std::uint32_t low = pack(weight(0, unit), weight(1, unit)), high = pack(weight(2, unit), weight(3, unit));
  SpreadMatrix matrix;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    matrix.tile[j][0] = quad == j ? low : 0u;
    matrix.tile[j][1] = quad == j ? high : 0u;
  }
  return matrix;
}

/// For 8 inputs and 4 outputs.
__device__ __forceinline__ GatherMatrix gather_matrix(int lane, const SmallMatrix& weight) {
  const int key = lane / 8, odd = lane / 4 % 2, quad = lane % 4;  // this lane's column: an output of `key`
  GatherMatrix matrix;
#pragma unroll
  for (int heads = 0; heads < 2; ++heads) {
    const int output = 2 * heads + odd;
    const std::uint32_t pair = pack(weight(2 * quad, output), weight(2 * quad + 1, output));
#pragma unroll
    for (int keys = 0; keys < 2; ++keys)
#pragma unroll
      for (int half = 0; half < 2; ++half) matrix.tile[keys][heads][half] = key == 2 * keys + half ? pair : 0u;
  }
  return matrix;
}

/// Four numbers of each of a lane's two pairs with one key (rows g and g + 8), as an A tile.
__device__ __forceinline__ TileA own_numbers(const TileC (&heads)[kMixerHeads], int odd) {
  return {{pack(heads[0].value[odd], heads[1].value[odd]), pack(heads[0].value[odd + 2], heads[1].value[odd + 2]),
           pack(heads[2].value[odd], heads[3].value[odd]), pack(heads[2].value[odd + 2], heads[3].value[odd + 2])}};
}

/// Adds to the hidden tiles of four keys.
__device__ __forceinline__ void spread(const TileA& own, const SpreadMatrix& matrix, TileC (&hidden)[4]) {
#pragma unroll
  for (int j = 0; j < 4; ++j) multiply_add(hidden[j], own, matrix.tile[j][0], matrix.tile[j][1]);
}

/// Adds the four numbers of a lane's pairs with its key to `start`: result[0] has outputs 0 and 1 (rows g, then g + 8),
/// result[1] outputs 2 and 3. units[keys]: the A tile of keys 2 keys, 2 keys + 1.
__device__ __forceinline__ void gather(const TileA (&units)[2], const GatherMatrix& matrix, const TileC (&start)[2],
                                       TileC (&result)[2]) {
#pragma unroll
  for (int heads = 0; heads < 2; ++heads) {
    result[heads] = multiply(units[0], matrix.tile[0][heads][0], matrix.tile[0][heads][1], start[heads]);
    multiply_add(result[heads], units[1], matrix.tile[1][heads][0], matrix.tile[1][heads][1]);
  }
}

/// The same, to what result has.
__device__ __forceinline__ void gather(const TileA (&units)[2], const GatherMatrix& matrix, TileC (&result)[2]) {
  gather(units, matrix, result, result);
}

/// What outputs start from: their biases in the shape of gathered numbers.
__device__ __forceinline__ void start_outputs(const float* bias, TileC (&start)[2]) {
#pragma unroll
  for (int heads = 0; heads < 2; ++heads)
    start[heads] = {{bias[2 * heads], bias[2 * heads + 1], bias[2 * heads], bias[2 * heads + 1]}};
}

/// Puts gathered numbers back where own_numbers took them from.
__device__ __forceinline__ void put_back(const TileC (&gathered)[2], int odd, TileC (&heads)[kMixerHeads]) {
#pragma unroll
  for (int head = 0; head < kMixerHeads; ++head) {
    heads[head].value[odd] = gathered[head / 2].value[head % 2];
    heads[head].value[odd + 2] = gathered[head / 2].value[head % 2 + 2];
  }
}

/// Two numbers for rows g and g + 8. They are read twice, hidden from the compiler that these are the same: it would
/// keep one pair of registers, and copy it to the four that a product needs time and again.
__device__ __forceinline__ TileC copied_pair(const volatile float* pair) {
  return {{pair[0], pair[1], pair[0], pair[1]}};
}

/// The perceptron's weights in a lane's registers.
struct ScoreMixer {
  SpreadMatrix from_products, from_positions;
  GatherMatrix to_heads;
  TileC bias1;  // of units 2t, 2t + 1, for rows g and g + 8
  float bias2[kMixerHeads];

  ScoreMixer() = default;
  __device__ ScoreMixer(const MixerPointers& mixer, int lane)
      : from_products(spread_matrix(lane, {mixer.weight1, 1, kMixerUnits})),
        from_positions(spread_matrix(lane, {mixer.weight1 + kMixerHeads, 1, kMixerUnits})),
        to_heads(gather_matrix(lane, {mixer.weight2, 1, kMixerUnits})) {
    bias1 = copied_pair(mixer.bias1 + 2 * (lane % 4));
#pragma unroll
    for (int head = 0; head < kMixerHeads; ++head) bias2[head] = mixer.bias2[head];
  }

  /// Hidden units of the quad's four keys, before the ReLU.
  __device__ __forceinline__ void hidden_units(const TileA& products, const TileA& positions,
                                               TileC (&hidden)[4]) const {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      hidden[j] = multiply(products, from_products.tile[j][0], from_products.tile[j][1], bias1);
    spread(positions, from_positions, hidden);
  }

  /// The positive parts of hidden units, as operands of the second layer.
  __device__ __forceinline__ static void positive_units(const TileC (&hidden)[4], TileA (&units)[2]) {
#pragma unroll
    for (int keys = 0; keys < 2; ++keys) units[keys] = to_positive_operand(hidden[2 * keys], hidden[2 * keys + 1]);
  }

  __device__ __forceinline__ void outputs(const TileA (&units)[2], TileC (&mixed)[2]) const {
    start_outputs(bias2, mixed);
    gather(units, to_heads, mixed);
  }

  /// Mixes a tile of scores (16 queries x 8 keys, four heads) in place. positions[odd]: own_numbers of the positional
  /// scores with the lane's even and odd key.
  __device__ __forceinline__ void mix(TileC (&scores)[kMixerHeads], const TileA (&positions)[2]) const {
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      TileC hidden[4], mixed[2];
      TileA units[2];
      hidden_units(own_numbers(scores, odd), positions[odd], hidden);
      positive_units(hidden, units);
      outputs(units, mixed);
      put_back(mixed, odd, scores);
    }
  }
};

/// The same perceptron with half the products in its first layer, for the forward pass: products and positional scores
/// share an A tile. A lane's places hold the products with its own key in one tile, and in the other the positional
/// scores of its neighbour's key (lane t reads those of the key of lane t ^ 1).
struct JointMixer {
  SpreadMatrix to_units;  // number j serves key j: products from lane j, positional scores from lane j ^ 1
  GatherMatrix to_heads;
  TileC bias1;  // of units 2t, 2t + 1, for rows g and g + 8
  bool even;    // this lane's number in the quad

  __device__ JointMixer(const MixerPointers& mixer, int lane)
      : to_heads(gather_matrix(lane, {mixer.weight2, 1, kMixerUnits})), even(lane % 2 == 0) {
    const float* weight = mixer.weight1 + lane / 4 * kMixerUnits;
    const int quad = lane % 4;
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float* products = weight + 2 * half;
        const float* positions = products + kMixerHeads;
        to_units.tile[j][half] = quad == j         ? pack(products[0], products[1])
                                 : quad == (j ^ 1) ? pack(positions[0], positions[1])
                                                   : 0u;
      }
    bias1 = copied_pair(mixer.bias1 + 2 * quad);
  }

  /// Mixes a tile of scores in place. positions[odd]: the positional scores with the even and the odd key of the lane's
  /// neighbour; start: what the outputs start from, see start_outputs; what is to be subtracted of a row's scores costs
  /// nothing there.
  __device__ __forceinline__ void mix(TileC (&scores)[kMixerHeads], const TileA (&positions)[2],
                                      const TileC (&start)[2]) const {
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
      const TileA own = own_numbers(scores, odd);
      TileA joint[2];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        joint[0].part[i] = even ? own.part[i] : positions[odd].part[i];
        joint[1].part[i] = even ? positions[odd].part[i] : own.part[i];
      }
      TileC hidden[4], mixed[2];
      TileA units[2];
#pragma unroll
      for (int j = 0; j < 4; ++j) hidden[j] = multiply(joint[j % 2], to_units.tile[j][0], to_units.tile[j][1], bias1);
      ScoreMixer::positive_units(hidden, units);
      gather(units, to_heads, start, mixed);
      put_back(mixed, odd, scores);
    }
  }
};

}  // namespace neuopt
