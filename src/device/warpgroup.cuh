// Products of four warps together on tensor cores that read their right operand from shared memory (sm_90a): for each
// warp what 4 x kSteps products of 16 x 8 x 16 are, without loading operands and at the full rate.
#pragma once

#include "device/tensor_core.cuh"

namespace neuopt {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

inline constexpr bool kWarpgroupProducts = true;

/// What the copies to shared memory of this thread have brought becomes visible to the products after a barrier.
__device__ __forceinline__ void show_copies() { asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory"); }

/// Adds rows * matrix to 32 columns. The matrix lies in shared memory as [column / 8][input / 8][8 columns] x 8 inputs.
/// All warps of the warpgroup call this together, each with its own 16 rows.
template <int kSteps>
__device__ __forceinline__ void multiply_together(const TileA (&rows)[kSteps], const uint4* matrix, TileC (&c)[4]) {
  constexpr std::uint64_t kNextInputs = 128, kNextColumns = 256 * kSteps;  // bytes between blocks of 8 x 8
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(matrix));
  const std::uint64_t layout = (kNextInputs / 16) << 16 | (kNextColumns / 16) << 32;
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const std::uint64_t place = layout | ((address + 256 * step) & 0x3ffff) >> 4;
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19}, %20, 1, 1, 1, 0;\n"
        : "+f"(c[0].value[0]), "+f"(c[0].value[1]), "+f"(c[0].value[2]), "+f"(c[0].value[3]), "+f"(c[1].value[0]),
          "+f"(c[1].value[1]), "+f"(c[1].value[2]), "+f"(c[1].value[3]), "+f"(c[2].value[0]), "+f"(c[2].value[1]),
          "+f"(c[2].value[2]), "+f"(c[2].value[3]), "+f"(c[3].value[0]), "+f"(c[3].value[1]), "+f"(c[3].value[2]),
          "+f"(c[3].value[3])
        : "r"(rows[step].part[0]), "r"(rows[step].part[1]), "r"(rows[step].part[2]), "r"(rows[step].part[3]),
          "l"(place));
  }
  // The sums are operands of the wait too: else the compiler would be free to read them before it.
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
               : "+f"(c[0].value[0]), "+f"(c[0].value[1]), "+f"(c[0].value[2]), "+f"(c[0].value[3]),
                 "+f"(c[1].value[0]), "+f"(c[1].value[1]), "+f"(c[1].value[2]), "+f"(c[1].value[3]),
                 "+f"(c[2].value[0]), "+f"(c[2].value[1]), "+f"(c[2].value[2]), "+f"(c[2].value[3]),
                 "+f"(c[3].value[0]), "+f"(c[3].value[1]), "+f"(c[3].value[2]), "+f"(c[3].value[3])
               :
               : "memory");
}

#else

inline constexpr bool kWarpgroupProducts = false;

__device__ __forceinline__ void show_copies() {}
template <int kSteps>
__device__ __forceinline__ void multiply_together(const TileA (&)[kSteps], const uint4*, TileC (&)[4]) {}

#endif

}  // namespace neuopt
