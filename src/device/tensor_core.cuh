// The tensor cores' 16 x 8 x 16 product in half precision with single-precision sums, and the shapes its operands have
// in the registers of a warp. With g = lane / 4 and t = lane % 4, a lane holds
//   A (16 x 16): rows g, g+8 at columns 2t, 2t+1, then the same rows at columns 2t+8, 2t+9
//   B (16 x 8):  rows 2t, 2t+1, then 2t+8, 2t+9, of column g
//   C (16 x 8):  rows g, g+8 at columns 2t, 2t+1
// so that two neighbouring C tiles, rounded to half, are one A tile of the next product. Every function here is called
// by all lanes of a warp together.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

#include "device/warp.cuh"

namespace neuopt {

struct TileA {
  std::uint32_t part[4];
};
struct TileC {
  float value[4];
};

#if defined(__CUDACC__)

/// c += a * b in half precision.
__device__ __forceinline__ void multiply_add(TileC& c, const TileA& a, std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(c.value[0]), "+f"(c.value[1]), "+f"(c.value[2]), "+f"(c.value[3])
      : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b0), "r"(b1));
}

/// c + a * b. Where c is used again, this saves copying it.
__device__ __forceinline__ TileC multiply(const TileA& a, std::uint32_t b0, std::uint32_t b1, const TileC& c) {
  TileC d;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};\n"
      : "=f"(d.value[0]), "=f"(d.value[1]), "=f"(d.value[2]), "=f"(d.value[3])
      : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b0), "r"(b1), "f"(c.value[0]),
        "f"(c.value[1]), "f"(c.value[2]), "f"(c.value[3]));
  return d;
}

/// Four 8 x 8 blocks of 16-bit numbers from shared memory. Lane i gives the address of row i % 8 of block i / 8; it
/// gets, of each block, row g at columns 2t, 2t+1.
__device__ __forceinline__ void load_blocks(const void* row, std::uint32_t (&block)[4]) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(block[0]), "=r"(block[1]), "=r"(block[2]), "=r"(block[3])
               : "r"(address));
}

/// The same, each block transposed: rows 2t, 2t+1 of column g, two B tiles from a row-major matrix.
__device__ __forceinline__ void load_transposed(const void* row, std::uint32_t (&block)[4]) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(block[0]), "=r"(block[1]), "=r"(block[2]), "=r"(block[3])
               : "r"(address));
}

/// An 8 x 8 block of 16-bit numbers held as row g, columns 2t, 2t+1, transposed.
__device__ __forceinline__ std::uint32_t transpose_block(std::uint32_t block) {
  std::uint32_t result;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;\n" : "=r"(result) : "r"(block));
  return result;
}

/// max(0, low) and max(0, high), rounded to half.
__device__ __forceinline__ std::uint32_t pack_positive(float low, float high) {
  std::uint32_t result;
  asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;\n" : "=r"(result) : "f"(high), "f"(low));
  return result;
}

/// Adds to four floats in device memory.
__device__ __forceinline__ void add_to(float4* sum, float4 value) {
#if __CUDA_ARCH__ >= 900
  atomicAdd(sum, value);
#else
  float* at = reinterpret_cast<float*>(sum);
  atomicAdd(at, value.x);
  atomicAdd(at + 1, value.y);
  atomicAdd(at + 2, value.z);
  atomicAdd(at + 3, value.w);
#endif
}

#else  // on the host: see tests/emulation

void multiply_add(TileC& c, const TileA& a, std::uint32_t b0, std::uint32_t b1);
inline TileC multiply(const TileA& a, std::uint32_t b0, std::uint32_t b1, TileC c) {
  multiply_add(c, a, b0, b1);
  return c;
}
void load_blocks(const void* row, std::uint32_t (&block)[4]);
void load_transposed(const void* row, std::uint32_t (&block)[4]);
std::uint32_t transpose_block(std::uint32_t block);
std::uint32_t pack_positive(float low, float high);
void add_to(float4* sum, float4 value);

#endif

__device__ __forceinline__ std::uint32_t pack(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  std::uint32_t bits;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
}

__device__ __forceinline__ float2 unpack(std::uint32_t bits) {
  __half2 pair;
  memcpy(static_cast<void*>(&pair), &bits, sizeof bits);
  return __half22float2(pair);
}

/// The A tile made of the C tiles of columns 16 j .. 16 j + 7 and 16 j + 8 .. 16 j + 15.
__device__ __forceinline__ TileA to_operand(const TileC& left, const TileC& right) {
  return {{pack(left.value[0], left.value[1]), pack(left.value[2], left.value[3]), pack(right.value[0], right.value[1]),
           pack(right.value[2], right.value[3])}};
}

/// The same of the positive parts.
__device__ __forceinline__ TileA to_positive_operand(const TileC& left, const TileC& right) {
  return {{pack_positive(left.value[0], left.value[1]), pack_positive(left.value[2], left.value[3]),
           pack_positive(right.value[0], right.value[1]), pack_positive(right.value[2], right.value[3])}};
}

}  // namespace neuopt
