#include "train/phase_clock.h"

#include <torch/cuda.h>

namespace neuopt::train {

void synchronize(torch::Device device) {
  if (device.is_cuda()) torch::cuda::synchronize();
}

void PhaseClock::mark(const char* phase) {
  if (!enabled_) return;
  synchronize(device_);
  const auto now = std::chrono::steady_clock::now();
  seconds_[phase] += std::chrono::duration<double>(now - last_).count();
  last_ = now;
}

void PhaseClock::reset() {
  synchronize(device_);
  seconds_.clear();
  last_ = std::chrono::steady_clock::now();
}

}  // namespace neuopt::train
