#include "train/group_rows.h"

#include "train/ppo.h"

namespace neuopt::train {
namespace {

/// What every row has at least, as a share of the mean |advantage|; the second keeps rows drawable when all are zero.
constexpr double kFloorShare = 0.05, kLeast = 1e-6;

}  // namespace

torch::Tensor group_advantages(const torch::Tensor& rewards, double gamma) {
  const torch::Tensor to_go = n_step_returns(rewards, torch::zeros_like(rewards.select(0, 0)), gamma);
  return to_go - to_go.mean({2}, true);
}

torch::Tensor scaled_advantages(const torch::Tensor& advantages, double clip, int depths) {
  const torch::Tensor parts = advantages.view({advantages.size(0), depths, -1, advantages.size(2)});
  const torch::Tensor rms = torch::square(parts).mean({0, 2, 3}, true).sqrt();
  return (parts / rms.clamp_min(1e-12)).clamp(-clip, clip).view(advantages.sizes());
}

RowChoice::RowChoice(const torch::Tensor& advantages) {
  const torch::Tensor size = advantages.abs().to(torch::kFloat64);
  share_ = size + (size.mean() * kFloorShare + kLeast);
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
