// The trainer against recorded traces: every quantity of a rollout and of one update.
#pragma once

#include <string>
#include <vector>

namespace neuopt::train {

/// The largest error of one quantity.
struct TraceError {
  std::string quantity;  // "log_prob", "gradients", ...
  std::string worst;     // where it occurs: a step or a tensor; empty when there is only one place
  double error = 0;      // relative to the largest entry; of gradients, to the tensor's norm
  double tolerance = 0;

  bool within() const { return error <= tolerance; }  // false for NaN
};

struct TraceReport {
  std::string file;
  std::vector<TraceError> errors;

  bool passed() const;
};

/// Replays a trace on a device ("cpu", "cuda"); plain: without fused kernels. precision: "fp32", or "fp16" with wider
/// tolerances. Throws InputError when the file is not a trace.
TraceReport check_trace(const std::string& path, const std::string& device, bool plain = false,
                        const std::string& precision = "fp32");

}  // namespace neuopt::train
