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
};

#if defined(__CUDACC__)
/// The threads of one warp.
struct WarpLanes {
  __device__ int first() const { return static_cast<int>(threadIdx.x & 31u); }
  __device__ int stride() const { return 32; }
  __device__ void sync() const { __syncwarp(); }
};
#endif

}  // namespace neuopt
