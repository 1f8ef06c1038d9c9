#include "train/device.h"

#include <torch/cuda.h>
#include <torch/utils.h>

#include "core/error.h"

#if defined(NEUOPT_TORCH_CUDA)
#include <c10/cuda/CUDAStream.h>
#endif

namespace neuopt::train {

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

torch::Device prepare_device(const std::string& name, int threads) {
  const torch::Device device = parse_device(name);
#if defined(NEUOPT_TORCH_CUDA)
  if (device.is_cuda()) c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool());
#endif
  if (threads > 0) torch::set_num_threads(threads);
  return device;
}

}  // namespace neuopt::train
