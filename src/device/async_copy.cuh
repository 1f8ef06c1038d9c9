// Copies from device to shared memory that the hardware makes while the threads go on. For CUDA sources only.
#pragma once

#include <vector_types.h>

#include <cstdint>

namespace neuopt {

#if defined(__CUDACC__)

/// Copies 16 bytes to shared memory without waiting; await_copies waits for all that this thread has begun.
__device__ __forceinline__ void begin_copy(uint4* shared, const uint4* global) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(address), "l"(global));
}
__device__ __forceinline__ void await_copies() { asm volatile("cp.async.wait_all;\n" ::: "memory"); }

#else  // on the host: see tests/emulation

void begin_copy(uint4* shared, const uint4* global);
void await_copies();

#endif

}  // namespace neuopt
