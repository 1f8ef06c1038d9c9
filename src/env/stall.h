// When a search has stalled and sees its instance anew (D2A).
#pragma once

#include "core/host_device.h"

namespace neuopt::env {

/// Costs are sums of differences, so that the same tour seen twice may differ in the last bits. Only an improvement
/// above this restarts the stall counter.
inline constexpr double kNotice = 1e-9;

/// Counts a step; `stalled` holds the steps since the last new best or augmentation. Returns whether a new augmentation
/// is due, and starts anew then. A limit of 0: never.
NEUOPT_HD bool count_stall(double best_before, double best_now, int limit, int& stalled) {
  stalled = best_now < best_before - kNotice ? 0 : stalled + 1;
  if (limit <= 0 || stalled < limit) return false;
  stalled = 0;
  return true;
}

}  // namespace neuopt::env
