// Runs CUDA kernels on the host, for tests on machines without a GPU. The source of a kernel is compiled as plain C++;
// every thread of a block is a fiber, and what threads do together (shuffles, barriers, tensor core products) waits
// until all of them have come to it. Slow, deterministic, and exact about which lane holds what.
//
// The build includes this before everything else in tests/emulation. A missing barrier between warps, or a missing
// await_copies, shows in results that depend on the schedule. Not covered: collectives of part of a warp, races inside
// a warp (see compute-sanitizer).
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#define NEUOPT_EMULATED_DEVICE
#undef __shared__
#define __shared__ static

namespace neuopt::emulation {

/// Runs `kernel` once for each thread of `grid` blocks of `threads` threads (a multiple of 32), block after block.
/// schedule: 0 takes the threads of a block in turn, any other number in an order of its own, some well ahead of
/// others, and lets copies to shared memory come late.
void run(dim3 grid, unsigned threads, std::size_t shared_bytes, const std::function<void()>& kernel,
         unsigned schedule = 0);

/// The running thread's place.
struct Place {
  uint3 thread, block;
  dim3 threads, grid;
};
const Place& place();

/// Dynamic shared memory of the running block.
void* shared_memory();

void sync_block();
void sync_warp();

/// Each lane shows `mine` (at most 64 bytes) to the others of its warp and gets at all of theirs until it calls again.
const unsigned char* exchange(const void* mine, std::size_t bytes);
constexpr std::size_t kExchangeBytes = 64;

template <class T>
T value_of_lane(const unsigned char* all, unsigned lane) {
  T value;
  std::memcpy(&value, all + lane * kExchangeBytes, sizeof value);
  return value;
}

}  // namespace neuopt::emulation

#define threadIdx (neuopt::emulation::place().thread)
#define blockIdx (neuopt::emulation::place().block)
#define blockDim (neuopt::emulation::place().threads)
#define gridDim (neuopt::emulation::place().grid)

inline void __syncthreads() { neuopt::emulation::sync_block(); }
inline void __syncwarp() { neuopt::emulation::sync_warp(); }

template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  const unsigned lane = threadIdx.x % 32;
  return neuopt::emulation::value_of_lane<T>(neuopt::emulation::exchange(&value, sizeof value),
                                             lane ^ static_cast<unsigned>(mask));
}
template <class T>
T __shfl_sync(unsigned, T value, int source) {
  return neuopt::emulation::value_of_lane<T>(neuopt::emulation::exchange(&value, sizeof value),
                                             static_cast<unsigned>(source) % 32);
}

inline int __any_sync(unsigned, int predicate) {
  const unsigned char* all = neuopt::emulation::exchange(&predicate, sizeof predicate);
  int any = 0;
  for (unsigned lane = 0; lane < 32; ++lane) any |= neuopt::emulation::value_of_lane<int>(all, lane);
  return any;
}

inline unsigned __ballot_sync(unsigned, int predicate) {
  const unsigned char* all = neuopt::emulation::exchange(&predicate, sizeof predicate);
  unsigned votes = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    votes |= (neuopt::emulation::value_of_lane<int>(all, lane) != 0 ? 1u : 0u) << lane;
  return votes;
}

inline unsigned __reduce_min_sync(unsigned, unsigned value) {
  const unsigned char* all = neuopt::emulation::exchange(&value, sizeof value);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto other = neuopt::emulation::value_of_lane<unsigned>(all, lane);
    value = other < value ? other : value;
  }
  return value;
}

inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __fdividef(float x, float y) { return x / y; }
template <class T>
T __ldg(const T* at) {
  return *at;
}
inline float __logf(float x) { return std::log(x); }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
