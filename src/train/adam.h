// Adam on the flat parameters, with the gradient norms of actor and critic clipped separately. Norms, step sizes and
// the decision to skip a step stay on the device.
#pragma once

#include <torch/types.h>

#include <optional>

#include "train/gradient_axes.h"
#include "train/parameters.h"

namespace neuopt::train {

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double max_norm = 0.05;  // of the gradient of each network
  bool own_axes = false;   // of the gradients, for the policy's matrices, instead of the single weights
  double flat_steps = 1;   // of own_axes: bound of the steps, in Adam's, where gradients hardly scatter; the
                           // table of prospects has them all
};

class Adam {
 public:
  Adam(Parameters& parameters, const AdamOptions& options);

  void set_learning_rates(double actor, double critic);
  double actor_rate() const { return actor_rate_; }

  /// Turns the axes to those of the gradients so far, where the options ask for it: the same ones in a team. Waits for
  /// the device.
  void renew_axes(Team& team);

  /// One step from the gradients. When a norm or `loss` is not finite, nothing changes but the count of skipped steps.
  void step(const torch::Tensor& loss);

  // State, for checkpoints and logs.
  torch::Tensor first_moment, second_moment;  // (P) float, along the axes
  std::optional<GradientAxes> axes;           // of the policy, where the options ask for them
  torch::Tensor steps;                        // 0-dim double: steps taken
  torch::Tensor critic_steps;                 // 0-dim double: those since the critic was new
  torch::Tensor skipped;                      // 0-dim double: steps skipped
  torch::Tensor skipped_in_a_row;             // 0-dim double: since the last step taken
  torch::Tensor norms;                        // (2) float: of the last gradients of actor and critic, before clipping

 private:
  void step_segment(const Segment& segment, GradientAxes* own_axes, const torch::Tensor& taken,
                    const torch::Tensor& norm, const torch::Tensor& rate, const torch::Tensor& finite);

  Parameters& parameters_;
  AdamOptions options_;
  torch::Tensor rates_;  // (2) double: learning rates
  double actor_rate_ = -1, critic_rate_ = -1;
};

}  // namespace neuopt::train
