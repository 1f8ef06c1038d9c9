// The mean cost that a policy reaches on a fixed set of instances, from standard starts and without augmentation.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "problem/instance.h"
#include "train/batch_environment.h"
#include "train/config.h"
#include "train/policy_network.h"
#include "train/sampler.h"

namespace neuopt::train {

struct ValidationPoint {
  int steps;                          // search steps taken
  double mean_cost;                   // of the best solutions so far
  std::optional<double> gap_percent;  // mean of the gaps of the instances, when all have a reference cost
};

class Validator {
 public:
  /// Reads or generates the set. The parameters must outlive the validator.
  Validator(const TrainConfig& config, const Parameters& parameters, torch::Device device);

  /// A point for each of the configured numbers of steps, in ascending order; fewer when `stop` said true.
  std::vector<ValidationPoint> run(const std::function<bool()>& stop);

  int instances() const { return static_cast<int>(x_.size(0)); }

 private:
  void load(const std::vector<Instance>& instances);
  ValidationPoint measure(int steps) const;

  TrainConfig config_;
  torch::Tensor x_, y_, demand_, starts_;  // (B, N)
  torch::Tensor reference_;                // (B), undefined when unknown
  std::unique_ptr<BatchEnvironment> environment_;
  std::unique_ptr<PolicyNetwork> policy_;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace neuopt::train
