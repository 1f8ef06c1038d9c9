// The axes along which the optimiser scales the steps of the policy's matrices. Adam divides each weight's step by the
// spread of that weight's own gradient, which helps only where the directions that spread much are single weights. In a
// network they are mixtures: the gradient of a product's matrix is an outer sum over rows, and spreads along the
// eigenvectors of its second moments on both sides. Turned into these, Adam takes larger steps where gradients agree
// and smaller ones where they scatter.
#pragma once

#include <torch/types.h>

#include "train/parameters.h"
#include "train/team.h"

namespace neuopt::train {

/// Works on the policy's part of the flat buffers. All of it that is made of dim x dim matrices (the heads of an
/// attention side by side are one) is turned on both sides; the few other weights keep their own axes. Products are in
/// full precision: tf32 would let steep directions leak into flat ones.
class GradientAxes {
 public:
  explicit GradientAxes(const Parameters& parameters);

  /// The same values (P) along the axes, and back.
  torch::Tensor turned(const torch::Tensor& values) const;
  torch::Tensor turned_back(const torch::Tensor& values) const;

  /// Takes a gradient (P) into the second moments; a `weight` (0-dim) of 0 leaves them as they are.
  void observe(const torch::Tensor& gradient, const torch::Tensor& weight);

  /// Turns the axes to the eigenvectors of the second moments, and Adam's moments (P) with them: the first exactly, the
  /// second as if what was seen along the old axes were uncorrelated. A team takes the eigenvectors that its first
  /// member finds: others may have other signs. Waits for the device.
  void renew(torch::Tensor first_moment, torch::Tensor second_moment, Team& team);
  /// Turns them back to those of the single weights.
  void straighten(torch::Tensor first_moment, torch::Tensor second_moment);

  // State, for checkpoints. (M, d, d) each for M matrices; before the first renewal the axes are those of the weights.
  torch::Tensor left_moments, right_moments;  // means of G G^T and G^T G
  torch::Tensor left_axes, right_axes;        // their eigenvectors, one in a column

 private:
  void turn_to(const torch::Tensor& left, const torch::Tensor& right, torch::Tensor& first_moment,
               torch::Tensor& second_moment);
  torch::Tensor matrices_of(const torch::Tensor& values) const;
  torch::Tensor with_matrices(const torch::Tensor& values, const torch::Tensor& matrices) const;

  std::int64_t dim_;
  torch::Tensor places_;  // (M * d * d): of the matrices' elements in the flat buffer
};

}  // namespace neuopt::train
