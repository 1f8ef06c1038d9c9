// The trainer against recorded traces: every quantity of a rollout and of one update.
#pragma once

#include <string>

#include "backends/trace/discrepancies.h"

namespace neuopt::train {

/// Replays a trace on a device ("cpu", "cuda"); plain: without fused kernels. precision: "fp32", or "fp16" with wider
/// tolerances. Errors are relative to the largest entry; those of gradients to the tensor's norm. Throws InputError
/// when the file is not a trace.
backends::trace::Discrepancies check_trace(const std::string& path, const std::string& device, bool plain = false,
                                           const std::string& precision = "fp32");

}  // namespace neuopt::train
