// A recorded trace as tensors in tour order: row p of a state belongs to the node at position p.
#pragma once

#include <torch/torch.h>

#include <string>

#include "io/npz.h"
#include "policy/architecture.h"
#include "train/batch_environment.h"

namespace neuopt::train {

class TraceFile {
 public:
  /// Throws InputError when the file is not a trace.
  TraceFile(const std::string& path, torch::Device device);

  int steps() const { return steps_; }
  int update_steps() const { return static_cast<int>(integer("ppo.n")); }  // n
  const policy::Architecture& architecture() const { return architecture_; }
  const EnvironmentOptions& environment() const { return environment_; }

  /// An array in single precision or as integers, on the device.
  torch::Tensor real(const std::string& name) const;
  torch::Tensor integers(const std::string& name) const;
  double number(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  const NpzFile& file() const { return file_; }

  // Of search step t:
  torch::Tensor order(int t) const;                                 // (B, N) int64: node at each position
  Observation observation(int t) const;                             // with rows in tour order
  torch::Tensor choices(int t) const;                               // (B, K) int32 positions
  torch::Tensor by_position(int t, const std::string& name) const;  // (B, N, ...): node rows put in tour order

 private:
  NpzFile file_;
  torch::Device device_;
  policy::Architecture architecture_;
  EnvironmentOptions environment_;
  int steps_ = 0;
};

}  // namespace neuopt::train
