// Turns CUDA errors into exceptions. For files that are compiled only where there is CUDA.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "core/error.h"

namespace neuopt {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw ResourceError(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace neuopt
