// One of several GPUs for this process. It is chosen by what CUDA is allowed to see, so that every thread uses it.
#pragma once

#include <string>

namespace neuopt::cli {

/// The GPUs that CUDA would show to this process, counted without starting it: those of CUDA_VISIBLE_DEVICES, or all
/// that the driver has.
int visible_gpus();

/// Of "cuda:N" it makes "cuda", and the N-th of the visible GPUs the only one to be seen by this process; other names
/// stay. Before CUDA is started. Throws ResourceError when there are fewer.
std::string choose_gpu(const std::string& device);

/// Whether the text is a device that --device accepts; else what is expected, as CLI11 asks of a check.
std::string check_device(const std::string& device);
/// The same for training, which has no reference.
std::string check_trainer(const std::string& device);

}  // namespace neuopt::cli
