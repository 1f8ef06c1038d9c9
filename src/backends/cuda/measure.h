// Times of the kernels of a step, and what the device can do at most.
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/work.h"
#include "policy/backend.h"

namespace neuopt::backends::cuda {

/// Launches of one kind, summed over one step of all copies.
struct KernelTime {
  std::string kernel;
  int launches = 0;
  double seconds = 0;
  Work work;
};

struct StepProfile {
  std::string precision;
  int copies = 0;  // the step's
  std::vector<KernelTime> kernels;
};

/// Takes `steps` steps of a session of this backend launch by launch, with the device's clock around each launch. The
/// copies must be of one size; only those that are worked on at once are measured.
StepProfile profile_steps(policy::Session& session, const policy::Architecture& architecture, int steps);

struct Ceilings {
  double bytes_per_second;      // device-to-device copy, bytes read and written
  double half_flop_per_second;  // product of two 8192 x 8192 matrices in half precision
};

/// Measured now, on this device.
Ceilings measure_ceilings();

}  // namespace neuopt::backends::cuda
