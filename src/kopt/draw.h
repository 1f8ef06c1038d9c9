// Drawing an index with given weights, serially or by the lanes of a warp.
#pragma once

#include "core/lanes.h"
#if defined(__CUDACC__)
#include "device/warp.cuh"
#endif

namespace neuopt::kopt {

struct Drawn {
  int index;
  double total;  // of all weights
};

/// Draws by inverting the cumulative sum of weight(i), 0 <= i < count, in index order. Weights are probabilities times
/// a common factor (0: never), `uniform` is in [0, 1). Where weights are not finite, as those of a network that has
/// lost its way, the last is drawn that is not 0. Every lane gets the result.
template <class Lanes, class Weight>
NEUOPT_HD Drawn draw_index(Lanes, int count, float uniform, Weight&& weight) {
  double total = 0;
  for (int i = 0; i < count; ++i) total += static_cast<double>(weight(i));
  double left = static_cast<double>(uniform) * total;
  int last_possible = 0;
  for (int i = 0; i < count; ++i) {
    const auto mine = weight(i);
    if (mine == 0) continue;
    last_possible = i;
    left -= static_cast<double>(mine);
    if (left < 0) return {i, total};
  }
  return {last_possible, total};  // rounding may leave a little at the end
}

#if defined(__CUDACC__)
/// Sum of the values of this lane and those before it.
__device__ inline double sum_up_to_lane(double value) {
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const double before = __shfl_up_sync(kAllLanes, value, offset);
    if (WarpLanes{}.first() >= offset) value += before;
  }
  return value;
}

template <class Weight>
__device__ Drawn draw_index(WarpLanes lanes, int count, float uniform, Weight&& weight) {
  double sum = 0;
  for (int i = lanes.first(); i < count; i += lanes.stride()) sum += static_cast<double>(weight(i));
  const double total = warp_sum(sum), threshold = static_cast<double>(uniform) * total;
  double before = 0;
  int last_possible = 0;
  for (int first = 0; first < count; first += 32) {
    const int i = first + lanes.first();
    const float mine = i < count ? weight(i) : 0.0f;
    const double up_to = before + sum_up_to_lane(static_cast<double>(mine));
    const unsigned possible = __ballot_sync(kAllLanes, mine != 0);
    const unsigned reached = __ballot_sync(kAllLanes, mine != 0 && up_to > threshold);
    if (reached != 0) return {first + __ffs(static_cast<int>(reached)) - 1, total};
    if (possible != 0) last_possible = first + 31 - __clz(static_cast<int>(possible));
    before = __shfl_sync(kAllLanes, up_to, 31);
  }
  return {last_possible, total};
}
#endif

}  // namespace neuopt::kopt
