#include "backends/cuda/device_info.h"

#include <cuda_runtime.h>

#include "device/cuda_check.h"

namespace neuopt::backends::cuda {
namespace {

constexpr int kOldestMajor = 8;  // compute capability of the oldest architecture that the kernels are built for

DeviceInfo read_device() {
  int device = 0, major = 0, multiprocessors = 0, shared = 0;
  check_cuda(cudaGetDevice(&device), "no GPU can be used");
  check_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "reading the GPU's properties");
  if (major < kOldestMajor) throw ResourceError("the GPU is older than compute capability 8.0");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "GPU properties");
  check_cuda(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "GPU properties");
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "GPU properties");
  check_cuda(cudaFree(nullptr), "opening the GPU");  // makes the context: a device that is there may still be unusable
  return {properties.name, multiprocessors, static_cast<std::size_t>(shared)};
}

}  // namespace

bool driver_installed() noexcept {
  int version = 0;
  return cudaDriverGetVersion(&version) == cudaSuccess && version > 0;
}

bool cuda_available(std::string* reason) noexcept {
  try {
    int count = 0;
    check_cuda(cudaGetDeviceCount(&count), "no GPU can be used");
    if (count == 0) throw ResourceError("there is no GPU");
    device_info();
    return true;
  } catch (const std::exception& error) {
    cudaGetLastError();  // the failure is told; nothing after it shall stumble over it
    if (reason != nullptr) *reason = error.what();
    return false;
  }
}

const DeviceInfo& device_info() {
  static const DeviceInfo info = read_device();
  return info;
}

std::size_t free_device_memory() {
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "device memory");
  return free;
}

}  // namespace neuopt::backends::cuda
