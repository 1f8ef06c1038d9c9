#include "train/group_rows.h"

namespace neuopt::train {
namespace {

/// What every row has at least, as a share of the mean length; the second keeps rows drawable when all are zero.
constexpr double kFloorShare = 0.05, kLeast = 1e-6;

}  // namespace

torch::Tensor group_advantages(const torch::Tensor& returns) { return returns - returns.mean({2}, true); }

torch::Tensor mixed_advantages(const torch::Tensor& first, const torch::Tensor& second, double share) {
  const auto scaled = [](const torch::Tensor& all) { return all / torch::square(all).mean().sqrt().clamp_min(1e-12); };
  return share * scaled(first) + (1 - share) * scaled(second);
}

torch::Tensor advantage_scales(const torch::Tensor& advantages, std::int64_t parts, double least) {
  const torch::Tensor apart = advantages.reshape({advantages.size(0), parts, -1, advantages.size(2)});
  const torch::Tensor squares = torch::square(apart).mean({0, 2, 3});
  return torch::maximum(squares.sqrt(), least * squares.mean().sqrt()).clamp_min(1e-12);
}

torch::Tensor scaled(const torch::Tensor& values, const torch::Tensor& scales, double clip) {
  const torch::Tensor apart = values.reshape({values.size(0), scales.size(0), -1, values.size(2)});
  return (apart / scales.view({1, -1, 1, 1})).clamp(-clip, clip).view(values.sizes());
}

torch::Tensor scaled_advantages(const torch::Tensor& advantages, double clip, std::int64_t parts, double least) {
  return scaled(advantages, advantage_scales(advantages, parts, least), clip);
}

torch::Tensor expected_lengths(const torch::Tensor& advantages, const torch::Tensor& log_prob) {
  return advantages.abs() * log_prob.neg().clamp_min(0).sqrt();
}

RowChoice::RowChoice(const torch::Tensor& lengths) {
  const torch::Tensor length = lengths.to(torch::kFloat64);
  share_ = length + (length.mean() * kFloorShare + kLeast);
  up_to_ = share_.cumsum(0);
}

ChosenRows RowChoice::choose(std::int64_t count, double offset) const {
  const std::int64_t last = up_to_.size(0) - 1;
  const torch::Tensor stretch = up_to_.select(0, last) / static_cast<double>(count);
  const torch::Tensor marks = (torch::arange(count, up_to_.options()) + offset) * stretch;
  const torch::Tensor index =
      torch::searchsorted(up_to_, marks, /*out_int32=*/false, /*right=*/true).clamp_max(last);  // rounding
  return {index, (share_.mean() / share_.index_select(0, index)).to(torch::kFloat32)};
}

}  // namespace neuopt::train
