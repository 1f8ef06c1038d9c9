// What the branches of a group rollout may still gain after its last step, told by a critic. So a short rollout learns
// for a far horizon: of what comes later only the mean counts, not the luck of one search.
#pragma once

#include <torch/types.h>

#include "train/critic_network.h"
#include "train/rollout.h"
#include "train/size_context.h"

namespace neuopt::train {

class BranchCritic {
 public:
  /// For so many branches.
  BranchCritic(SizeContext& context, const BatchEnvironment& branches);

  /// Whether the unit of the values is known; asks the device until it is.
  bool has_unit();

  /// Values the states where the branches stand after steps with these rewards (n, B, 3).
  void look_ahead(BatchEnvironment& branches, const torch::Tensor& rewards);
  /// (B): the rewards that are to come, discounted; as of the last look.
  const torch::Tensor& to_come() const { return to_come_; }

  /// The weighted mean of squared errors, in the unit of the values, which is about what a search gained within the
  /// discount's reach when the critic was new. embeddings: (R, N, d) of the rows, detached;
  /// returns: (R) rewards-to-go with what was to come after the rollout.
  torch::Tensor loss(const torch::Tensor& embeddings, const Rows& rows, const torch::Tensor& returns,
                     const torch::Tensor& weight) const;

  /// 0-dim: the share of the variance of returns inside groups that the critic explains. returns: (B, G) of states of
  /// B * G branches; the squared correlation with their values after both have lost the means of their groups, below 0
  /// where that is.
  torch::Tensor explained(const Observation& states, const torch::Tensor& returns) const;

 private:
  torch::Tensor unit() const;
  torch::Tensor values(const torch::Tensor& embeddings, const Observation& states) const;

  SizeContext& context_;
  CriticNetwork critic_;
  Observation last_;       // of the branches
  torch::Tensor to_come_;  // (B)
  bool has_unit_ = false;  // as far as was asked
};

}  // namespace neuopt::train
