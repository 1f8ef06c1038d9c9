// The mean cost that weights of a policy reach on a fixed set of instances, from standard starts and with
// augmentation if training has it.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <vector>

#include "problem/instance.h"
#include "train/batch_environment.h"
#include "train/config.h"
#include "train/policy_network.h"
#include "train/reports.h"
#include "train/sampler.h"

namespace neuopt::train {

class Validator {
 public:
  /// Reads or generates the set.
  Validator(const TrainConfig& config, torch::Device device);

  /// weights: all of the policy's, flat, as in Parameters. Returns a point for each of the configured numbers of steps,
  /// in ascending order; fewer when `stop` said true.
  std::vector<ValidationPoint> run(const torch::Tensor& weights, const std::function<bool()>& stop);

  int instances() const { return static_cast<int>(x_.size(0)); }

 private:
  void load(const std::vector<Instance>& instances, EnvironmentOptions& options);
  ValidationPoint measure(int steps) const;

  TrainConfig config_;
  torch::Tensor x_, y_, node_, starts_;  // (B, N), (B, N, ..)
  torch::Tensor scale_;                  // (B): what a length of 1 in the search's view costs
  torch::Tensor reference_;              // (B), undefined when unknown
  Parameters parameters_;                // of the policy that is validated
  std::unique_ptr<BatchEnvironment> environment_;
  std::unique_ptr<PolicyNetwork> policy_;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace neuopt::train
