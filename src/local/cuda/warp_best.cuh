// The best move of a warp. For CUDA sources only.
#pragma once

#include "device/warp.cuh"
#include "local/best_move.h"

namespace neuopt::local {

__device__ __forceinline__ Move best_by_shuffles(Move mine) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    Move other;
    other.delta = __shfl_xor_sync(kAllLanes, mine.delta, offset);
    other.number = __shfl_xor_sync(kAllLanes, mine.number, offset);
    if (goes_before(other, mine)) mine = other;
  }
  return mine;
}

#if defined(__CUDACC__)
__device__ inline Move best_of(WarpLanes, Move mine) { return best_by_shuffles(mine); }
#endif

}  // namespace neuopt::local
