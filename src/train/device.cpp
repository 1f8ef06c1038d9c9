#include "train/device.h"

#include <dlfcn.h>
#include <malloc.h>
#include <torch/cuda.h>

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"

#if defined(NEUOPT_TORCH_CUDA)
#include <c10/cuda/CUDAStream.h>
#endif

namespace neuopt::train {
namespace {

/// A step asks for the memory that the step before has freed, megabytes at a time. By default the C library hands it
/// back to the system in between, and getting it again page by page takes a fifth of the time.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
}

}  // namespace

void* current_stream() {
#if defined(NEUOPT_TORCH_CUDA)
  return c10::cuda::getCurrentCUDAStream().stream();
#else
  throw ResourceError("this build has no CUDA");
#endif
}

torch::Device parse_device(const std::string& name) {
  const bool available = cuda_built() && torch::cuda::is_available();
  if (name == "cpu" || (name == "auto" && !available)) return torch::kCPU;
  if (name != "cuda" && name != "auto") throw InputError("device: expected auto, cpu or cuda, found '" + name + "'");
  if (!cuda_built()) throw ResourceError("device cuda: this build has no CUDA");
  if (!available) throw ResourceError("device cuda: no GPU was found");
  return torch::Device(torch::kCUDA, 0);
}

void set_threads(int threads) {
  torch::set_num_threads(threads);
  // LibTorch does not tell OpenBLAS, whose other threads would not only compute: they spin when they have nothing to
  // do.
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) set(threads);
}

torch::Device prepare_device(const std::string& name, int threads) {
  const torch::Device device = parse_device(name);
#if defined(NEUOPT_TORCH_CUDA)
  if (device.is_cuda()) c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool());
#endif
  if (device.is_cpu()) keep_freed_memory();
  // More than the machine has would only wait for one another; and LibTorch waits forever for those it is refused.
  if (threads > 0) set_threads(std::min(threads, resolve_threads(0)));
  return device;
}

}  // namespace neuopt::train
