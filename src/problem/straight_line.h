// The plain Euclidean distance, to the same bit on host and device.
#pragma once

#include <cmath>

#include "core/host_device.h"

namespace neuopt {

/// The device must not fuse the products into the sum.
NEUOPT_HD double straight_length(double dx, double dy) {
#if defined(__CUDA_ARCH__)
  return sqrt(__dadd_rn(__dmul_rn(dx, dx), __dmul_rn(dy, dy)));
#else
  return std::sqrt(dx * dx + dy * dy);
#endif
}

}  // namespace neuopt
