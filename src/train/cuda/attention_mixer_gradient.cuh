// The backward pass's share of the score mixer: its matrices transposed, and the sums of its own gradients.
#pragma once

#include "train/cuda/attention_tiles.cuh"

namespace neuopt::train::cuda::attention {

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

using MixerSumsOfWarps = float[kWarps][kMixerParameters];

/// Writes a block's mixer gradients, in the order of kMixerParameters.
__device__ inline void write_mixer_sums(const MixerSums& sums, MixerSumsOfWarps& of_warps, float* block_sums) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32, quad = lane % 4;
  float* mine = of_warps[warp];
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
    for (int w = 0; w < kWarps; ++w) sum += of_warps[w][p];
    block_sums[p] = sum;
  }
}

}  // namespace neuopt::train::cuda::attention
