// What is reported of a batch of training.
#pragma once

#include <optional>

namespace neuopt::train {

/// Means over the group rollouts of a batch.
struct GroupStatistics {
  double improved_branches = 0;  // share of the branches with a new best within the horizon
  double improved_groups = 0;    // share of the groups with at least one such branch
  double rms_advantage = 0;      // root mean square of the rewards-to-go less their group's mean
  /// Of the rewards in the second half of a rollout: the share of their variance inside groups that the critic
  /// explains.
  std::optional<double> explained;
  /// Where missed exchanges are learned: the share of the states that have one, and with which probability the policy
  /// makes it (the mean over those that are learned from).
  std::optional<double> missed, missed_probability;
};

struct BatchStatistics {
  int size = 0;                                         // nodes of a tsp, customers of others
  double initial_cost = 0;                              // mean over the instances, before the first step
  double start_cost = 0;                                // mean best after the curriculum steps
  double final_cost = 0;                                // mean best at the end
  double policy_loss = 0, value_loss = 0, entropy = 0;  // means over the finite updates
  double actor_norm = 0, critic_norm = 0;               // means, before clipping
  double actor_rate = 0;                                // of the last update
  double skipped = 0;                                   // updates skipped since the run began
  double skipped_in_a_row = 0;                          // at the end of the batch
  int curriculum_steps = 0, steps = 0;
  std::optional<GroupStatistics> group;
};

}  // namespace neuopt::train
