// Where a tensor's work runs: the CUDA stream of the moment, or the host.
#pragma once

#include <torch/types.h>
#include <torch/utils.h>

#include <string>

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

/// So many threads for this process's work on a CPU, in LibTorch and in the BLAS under it.
void set_threads(int threads);

/// One thread for that as long as it lives: for work that our own threads share.
class OneThreadEach {
 public:
  OneThreadEach() { set_threads(1); }
  ~OneThreadEach() { set_threads(before); }
  OneThreadEach(const OneThreadEach&) = delete;
  OneThreadEach& operator=(const OneThreadEach&) = delete;

  const int before = torch::get_num_threads();
};

/// The same as parse_device, ready for this thread's work: on a CPU with so many threads (0: as they are) and memory
/// that is kept from step to step, on a GPU with a stream of its own, because graphs cannot be captured on the default
/// one.
torch::Device prepare_device(const std::string& name, int threads);

}  // namespace neuopt::train
