// What the threads of a warp do together. For CUDA sources only.
#pragma once

namespace neuopt {

inline constexpr unsigned kAllLanes = 0xffffffffu;

/// The sum of all lanes' values, in every lane.
template <class T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(kAllLanes, value, offset);
  return value;
}

/// The largest of all lanes' values, in every lane.
__device__ __forceinline__ float warp_max(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, offset));
  return value;
}

}  // namespace neuopt
