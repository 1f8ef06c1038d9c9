// Products of a warp's rows with the packed weight matrices.
#pragma once

#include "backends/cuda/network.h"
#include "device/async_copy.cuh"
#include "device/tensor_core.cuh"
#include "device/warpgroup.cuh"

namespace neuopt::backends::cuda {

/// A weight matrix (inputs x outputs) laid out for the lanes: for each tile of 8 outputs and each pair of 16-row steps,
/// 32 lanes x 16 bytes = the B tiles of both steps.
using PackedMatrix = const uint4*;

/// A weight matrix of 128 inputs laid out to be read from shared memory: for each tile of 8 outputs and each 8 inputs a
/// block of 8 outputs x 16 bytes.
using StagedMatrix = const uint4*;

__device__ inline PackedMatrix matrix_at(const DeviceModel& model, std::size_t offset) {
  return reinterpret_cast<PackedMatrix>(model.bytes + offset);
}

__device__ inline const float* floats_at(const DeviceModel& model, std::size_t offset) {
  return reinterpret_cast<const float*>(model.bytes + offset);
}

/// Adds rows * matrix to kTiles neighbouring C tiles; first_tile is their first tile of 8 outputs.
template <int kSteps, int kTiles>
__device__ __forceinline__ void multiply_rows(const TileA (&rows)[kSteps], PackedMatrix matrix, int first_tile,
                                              int lane, TileC (&result)[kTiles]) {
  static_assert(kSteps % 2 == 0);
#pragma unroll
  for (int pair = 0; pair < kSteps / 2; ++pair) {
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      const uint4 b = __ldg(matrix + ((first_tile + tile) * (kSteps / 2) + pair) * 32 + lane);
      multiply_add(result[tile], rows[2 * pair], b.x, b.y);
      multiply_add(result[tile], rows[2 * pair + 1], b.z, b.w);
    }
  }
}

/// The same for kTiles tiles of a matrix that lies in shared memory. All warps of the block call this together.
template <int kSteps, int kTiles>
__device__ __forceinline__ void multiply_staged(const TileA (&rows)[kSteps], StagedMatrix matrix, int lane,
                                                TileC (&result)[kTiles]) {
  if constexpr (kWarpgroupProducts) {
    multiply_together(rows, matrix, result);
  } else {
#pragma unroll
    for (int pair = 0; pair < kSteps / 2; ++pair) {
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        std::uint32_t b[4];
        load_blocks(matrix + (tile * (kSteps / 2) + pair) * 32 + lane, b);
        multiply_add(result[tile], rows[2 * pair], b[0], b[1]);
        multiply_add(result[tile], rows[2 * pair + 1], b[2], b[3]);
      }
    }
  }
}

}  // namespace neuopt::backends::cuda
