// The tensor cores' 16 x 8 x 16 product in half precision with single-precision sums, and the shapes its operands have
// in the registers of a warp. With g = lane / 4 and t = lane % 4, a lane holds
//   A (16 x 16): rows g, g+8 at columns 2t, 2t+1, then the same rows at columns 2t+8, 2t+9
//   B (16 x 8):  rows 2t, 2t+1, then 2t+8, 2t+9, of column g
//   C (16 x 8):  rows g, g+8 at columns 2t, 2t+1
// so that two neighbouring C tiles, rounded to half, are one A tile of the next product.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace neuopt::backends::cuda {

struct TileA {
  std::uint32_t part[4];
};
struct TileC {
  float value[4];
};

__device__ __forceinline__ void multiply_add(TileC& c, const TileA& a, std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(c.value[0]), "+f"(c.value[1]), "+f"(c.value[2]), "+f"(c.value[3])
      : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ std::uint32_t pack(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

__device__ __forceinline__ float2 unpack(std::uint32_t pair) {
  return __half22float2(*reinterpret_cast<const __half2*>(&pair));
}

/// The A tile made of the C tiles of columns 16 j .. 16 j + 7 and 16 j + 8 .. 16 j + 15.
__device__ __forceinline__ TileA to_operand(const TileC& left, const TileC& right) {
  return {{pack(left.value[0], left.value[1]), pack(left.value[2], left.value[3]), pack(right.value[0], right.value[1]),
           pack(right.value[2], right.value[3])}};
}

/// A weight matrix (inputs x outputs) laid out for the lanes: for each tile of 8 outputs and each pair of 16-row steps,
/// 32 lanes x 16 bytes = the B tiles of both steps. See pack_matrix.
using PackedMatrix = const uint4*;

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

/// The same for kTiles tiles of a matrix with 128 inputs that lie in shared memory.
template <int kSteps, int kTiles>
__device__ __forceinline__ void multiply_staged(const TileA (&rows)[kSteps], const uint4* matrix, int lane,
                                                TileC (&result)[kTiles]) {
#pragma unroll
  for (int pair = 0; pair < kSteps / 2; ++pair) {
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      const uint4 b = matrix[(tile * (kSteps / 2) + pair) * 32 + lane];
      multiply_add(result[tile], rows[2 * pair], b.x, b.y);
      multiply_add(result[tile], rows[2 * pair + 1], b.z, b.w);
    }
  }
}

/// Copies 16 bytes to shared memory without waiting; await_copies waits for all that this thread has begun.
__device__ __forceinline__ void begin_copy(uint4* shared, const uint4* global) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(address), "l"(global));
}
__device__ __forceinline__ void await_copies() { asm volatile("cp.async.wait_all;\n" ::: "memory"); }

/// Four 8 x 8 blocks of half numbers from shared memory, transposed: two B tiles from a row-major matrix. Lane i gives
/// the address of row i % 8 of block i / 8.
__device__ __forceinline__ void load_transposed(const __half* row, std::uint32_t (&b)[4]) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
               : "r"(address));
}

}  // namespace neuopt::backends::cuda
