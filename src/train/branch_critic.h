// What the branches of a group rollout may still gain after its last step, told by a critic. So a short rollout learns
// for a far horizon: of what comes later only the mean counts, not the luck of one search. With bootstrap_interval the
// critic also has a say on the way, so that a step is praised less for the luck of those long after it.
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

  /// Values the states in which the branches stand after a rollout, and those on the way that have a say.
  void look_ahead(BatchEnvironment& branches, const Chunk& rollout);
  /// (B): the rewards that are to come after the rollout, discounted; as of the last look.
  const torch::Tensor& to_come() const { return to_come_; }
  /// (n, B): the rewards-to-go of a rollout with these rewards (n, B), as of the last look. Before every step whose
  /// number is a multiple of bootstrap_interval, bootstrap_share of what came later is what the critic says instead.
  torch::Tensor returns(const torch::Tensor& rewards) const;
  /// (steps with a say, B): what it says there.
  const torch::Tensor& on_the_way() const { return on_the_way_; }

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
  torch::Tensor gains(const Observation& states) const;
  torch::Tensor values(const torch::Tensor& embeddings, const Observation& states) const;

  SizeContext& context_;
  CriticNetwork critic_;
  Observation last_;          // of the branches
  torch::Tensor to_come_;     // (B)
  torch::Tensor on_the_way_;  // (steps with a say, B)
  bool has_unit_ = false;     // as far as was asked
};

}  // namespace neuopt::train
