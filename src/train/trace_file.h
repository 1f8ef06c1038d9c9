// A recorded trace as tensors in tour order: row p of a state belongs to the node at position p.
#pragma once

#include <torch/types.h>

#include <string>

#include "backends/trace/trace.h"
#include "train/batch_environment.h"

namespace neuopt::train {

class TraceFile {
 public:
  /// Throws InputError when the file is not a trace with an update.
  TraceFile(const std::string& path, torch::Device device);

  const std::string& path() const { return trace_.path(); }
  int steps() const { return trace_.steps(); }
  int update_steps() const { return update_steps_; }  // n
  const policy::Architecture& architecture() const { return trace_.model().architecture; }
  const policy::Weights& actor() const { return trace_.model().weights; }
  policy::Weights critic() const;
  const EnvironmentOptions& environment() const { return environment_; }
  float mean_improvement() const { return trace_.mean_improvement(); }

  bool has(const std::string& name) const { return trace_.file().has(name); }
  /// An array in single precision or as integers, on the device.
  torch::Tensor real(const std::string& name) const;
  torch::Tensor integers(const std::string& name) const;
  double number(const std::string& name) const;

  // Of search step t:
  torch::Tensor order(int t) const;                                 // (B, N) int64: node at each position
  Observation observation(int t) const;                             // with rows in tour order
  torch::Tensor choices(int t) const;                               // (B, K) int32 positions
  torch::Tensor by_position(int t, const std::string& name) const;  // (B, N, ...): node rows put in tour order

 private:
  backends::trace::Trace trace_;
  torch::Device device_;
  EnvironmentOptions environment_;
  int update_steps_ = 0;
};

}  // namespace neuopt::train
