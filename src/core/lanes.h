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
  /// How many of [begin, end) are wanted, in every lane.
  template <class Wanted>
  NEUOPT_HD int count(int begin, int end, Wanted&& wanted) const {
    int found = 0;
    for (int i = begin; i < end; ++i) found += wanted(i) ? 1 : 0;
    return found;
  }
  /// Calls visit(slot, i, value), each in one lane, for those of [begin, end) that have the kMost least values below a
  /// bound; slots are in the order of values and, among equal ones, of i. Returns how many were visited. Values are
  /// positive or +0, infinity included: warps compare their bits.
  template <int kMost, class ValueOf, class Visit>
  NEUOPT_HD int visit_least(int begin, int end, float below, ValueOf&& value_of, Visit&& visit) const {
    float values[kMost];
    int indices[kMost], count = 0;
    for (int i = begin; i < end; ++i) {
      const float value = value_of(i);
      if (!(value < below)) continue;
      int slot = count < kMost ? count++ : kMost - 1;
      for (; slot > 0 && values[slot - 1] > value; --slot)
        values[slot] = values[slot - 1], indices[slot] = indices[slot - 1];
      values[slot] = value, indices[slot] = i;
      if (count == kMost) below = values[kMost - 1];
    }
    for (int slot = 0; slot < count; ++slot) visit(slot, indices[slot], values[slot]);
    return count;
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
  template <class Wanted>
  __device__ int count(int begin, int end, Wanted&& wanted) const {
    int found = 0;
    for (int block = begin; block < end; block += stride()) {
      const int mine = block + first();
      found += __popc(__ballot_sync(kAllLanes, mine < end && wanted(mine)));
    }
    return found;
  }
  template <int kMost, class ValueOf, class Visit>
  __device__ int visit_least(int begin, int end, float below, ValueOf&& value_of, Visit&& visit) const {
    static_assert(kMost <= 32, "a lane keeps one");
    float kept = below;  // in lane i the value in slot i, so far
    int kept_index = 0;
    for (int block = begin; block < end; block += stride()) {
      const int mine = block + first();
      float fresh = mine < end ? fminf(value_of(mine), below) : below;
      if (!__any_sync(kAllLanes, fresh < __shfl_sync(kAllLanes, kept, kMost - 1))) continue;
      float old = kept;
      const int old_index = kept_index;
      kept = below;
      for (int slot = 0; slot < kMost; ++slot) {
        const float value = least_not_negative(fminf(old, fresh));
        if (!(value < below)) break;
        const unsigned known = __ballot_sync(kAllLanes, old == value);  // they come first, as their indices do
        const unsigned lanes = known != 0 ? known : __ballot_sync(kAllLanes, fresh == value);
        const int lane = __ffs(static_cast<int>(lanes)) - 1;
        const int index = known != 0 ? __shfl_sync(kAllLanes, old_index, lane) : block + lane;
        if (first() == lane) (known != 0 ? old : fresh) = below;
        if (first() == slot) kept = value, kept_index = index;
      }
    }
    const int count = __popc(__ballot_sync(kAllLanes, kept < below));
    if (first() < count) visit(first(), kept_index, kept);
    return count;
  }

 private:
  __device__ static float least_not_negative(float value) {
    return __uint_as_float(__reduce_min_sync(kAllLanes, __float_as_uint(value)));
  }
};

/// The threads of one block, for loops alone.
struct BlockLanes {
  __device__ int first() const { return static_cast<int>(threadIdx.x); }
  __device__ int stride() const { return static_cast<int>(blockDim.x); }
  __device__ void sync() const { __syncthreads(); }
};
#endif

}  // namespace neuopt
