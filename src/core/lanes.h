// How the steps of a loop over nodes are shared out. Code written once as `for (i = lanes.first(); i < n; i +=
// lanes.stride())` runs serially on a CPU and side by side in the threads of a GPU block.
#pragma once

#include "core/host_device.h"

namespace neuopt {

/// One lane: the host, or a device thread on its own.
struct SerialLanes {
  NEUOPT_HD int first() const { return 0; }
  NEUOPT_HD int stride() const { return 1; }
  /// Makes what the lanes wrote visible to all of them.
  NEUOPT_HD void sync() const {}
  /// The least of the lanes' values, in every lane.
  NEUOPT_HD float least(float value) const { return value; }
  /// Calls visit(i), together in all lanes, for each i in [begin, end) of which wanted(i), asked in one lane, is true.
  template <class Wanted, class Visit>
  NEUOPT_HD void for_each_wanted(int begin, int end, Wanted&& wanted, Visit&& visit) const {
    for (int i = begin; i < end; ++i)
      if (wanted(i)) visit(i);
  }
};

inline constexpr unsigned kAllLanes = 0xffffffffu;  // of a warp

#if defined(__CUDACC__) || defined(NEUOPT_EMULATED_DEVICE)
/// The threads of one warp.
struct WarpLanes {
  __device__ int first() const { return static_cast<int>(threadIdx.x & 31u); }
  __device__ int stride() const { return 32; }
  __device__ void sync() const { __syncwarp(); }
  __device__ float least(float value) const {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) value = fminf(value, __shfl_xor_sync(kAllLanes, value, offset));
    return value;
  }
  template <class Wanted, class Visit>
  __device__ void for_each_wanted(int begin, int end, Wanted&& wanted, Visit&& visit) const {
    for (int block = begin; block < end; block += stride()) {
      const int mine = block + first();
      unsigned votes = __ballot_sync(kAllLanes, mine < end && wanted(mine));
      for (; votes != 0; votes &= votes - 1) visit(block + __ffs(static_cast<int>(votes)) - 1);
    }
  }
};
#endif

}  // namespace neuopt
