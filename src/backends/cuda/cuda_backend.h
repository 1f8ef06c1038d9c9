// The policy on an NVIDIA GPU.
#pragma once

#include <memory>
#include <string>

#include "policy/backend.h"

namespace neuopt::backends::cuda {

/// `precision` is for `evaluate`; sessions have an option of their own. "fp16": products in half precision, where the
/// network and the size allow it, else fp32; "fp32"; "": fp16. Throws ResourceError when there is no GPU.
std::unique_ptr<policy::Backend> make_cuda_backend(const std::string& precision = "");

}  // namespace neuopt::backends::cuda
