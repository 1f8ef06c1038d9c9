// Where the time goes. Only a benchmark switches it on: measuring waits for the device at the end of each phase.
#pragma once

#include <torch/types.h>

#include <chrono>
#include <map>
#include <string>

namespace neuopt::train {

class PhaseClock {
 public:
  explicit PhaseClock(torch::Device device) : device_(device) {}

  void enable(bool enabled) { enabled_ = enabled; }
  /// The time since the last mark belongs to this phase.
  void mark(const char* phase);
  /// Seconds of each phase.
  const std::map<std::string, double>& seconds() const { return seconds_; }
  void reset();

 private:
  torch::Device device_;
  bool enabled_ = false;
  std::chrono::steady_clock::time_point last_{};
  std::map<std::string, double> seconds_;
};

/// Waits until the device has done all work given to it.
void synchronize(torch::Device device);

}  // namespace neuopt::train
