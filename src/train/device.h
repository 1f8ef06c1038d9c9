// Where a tensor's work runs: the CUDA stream of the moment, or the host.
#pragma once

#include <torch/types.h>

namespace neuopt::train {

/// True when this build can run on CUDA tensors: LibTorch with CUDA and our kernels.
constexpr bool cuda_built() {
#if defined(NEUOPT_TORCH_CUDA) && defined(NEUOPT_WITH_CUDA)
  return true;
#else
  return false;
#endif
}

/// The stream that LibTorch uses now, as a cudaStream_t. Only in builds with CUDA.
void* current_stream();

/// Parses "auto", "cpu" or "cuda". auto takes a GPU when there is one. Throws ResourceError when CUDA is asked for and
/// not there.
torch::Device parse_device(const std::string& name);

}  // namespace neuopt::train
