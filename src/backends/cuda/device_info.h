// The GPU that the backend computes on: the current device of the CUDA runtime.
#pragma once

#include <string>

namespace neuopt::backends::cuda {

struct DeviceInfo {
  std::string name;
  int multiprocessors = 0;
  std::size_t shared_bytes = 0;  // most shared memory of one block
};

/// Whether an NVIDIA driver is installed: without one nobody expects a GPU to be used.
bool driver_installed() noexcept;

/// Whether there is a GPU that this program can use. Never throws; the reason why not, in words, goes to `reason`.
bool cuda_available(std::string* reason = nullptr) noexcept;

/// Throws ResourceError when there is none.
const DeviceInfo& device_info();

/// Device memory that is free now.
std::size_t free_device_memory();

}  // namespace neuopt::backends::cuda
