// Which rows of a group rollout are worth learning from, and how much. Pure functions of tensors on any device.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace neuopt::train {

/// Returns less their mean over the group. returns: (h, B, G), and so is the result, whose sum over a group is 0.
torch::Tensor group_advantages(const torch::Tensor& returns);

/// Both divided by their root mean squares and added up, the first with the given share of 1.
torch::Tensor mixed_advantages(const torch::Tensor& first, const torch::Tensor& second, double share);

/// Root mean squares. Searches of different depths or instances gain differently much, so each of `parts` equal parts
/// of the searches has one of its own, which counts as `least` of that of all at least. Result: (parts), none 0.
torch::Tensor advantage_scales(const torch::Tensor& advantages, std::int64_t parts, double least);

/// Values of rows, (h, B, G), divided by the scales of their parts, then clamped to +-clip.
torch::Tensor scaled(const torch::Tensor& values, const torch::Tensor& scales, double clip);

/// Advantages by their own scales. All zeros stay zeros.
torch::Tensor scaled_advantages(const torch::Tensor& advantages, double clip, std::int64_t parts = 1, double least = 0);

/// About how long the gradient of a row is: |advantage| times the root of its surprise, -log_prob. What the policy is
/// sure to do hardly moves it.
torch::Tensor expected_lengths(const torch::Tensor& advantages, const torch::Tensor& log_prob);

/// Rows drawn with unequal probabilities. The mean of weight * f over them is an unbiased estimate of the mean of f
/// over all rows.
struct ChosenRows {
  torch::Tensor index;   // (M) int64, ascending; a likely row may be there more than once
  torch::Tensor weight;  // (M) float
};

/// Draws rows in proportion to a length plus a floor, so that every row can be drawn and no weight is large.
class RowChoice {
 public:
  /// lengths: (n), none negative.
  explicit RowChoice(const torch::Tensor& lengths);

  /// Systematic sampling: one row from each of `count` equal stretches of the summed shares, all at the same offset
  /// into theirs. An offset that is uniform in [0, 1) makes the choice unbiased.
  ChosenRows choose(std::int64_t count, double offset) const;

 private:
  torch::Tensor share_, up_to_;  // (n) double: of each row, and of all rows up to it
};

}  // namespace neuopt::train
