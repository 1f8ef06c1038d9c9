#include "train/adam.h"

namespace neuopt::train {
namespace {

/// How much longer than Adam's the steps of a natural gradient are along axes of this spread, whose covariance is its
/// metric: in inverse proportion to the spread, 1 at its root mean square, and nowhere more than `most`.
/// The weights `apart` take the longest.
torch::Tensor natural_lengths(const torch::Tensor& spread, double most, const Segment& apart) {
  const torch::Tensor variance = spread.square();
  const torch::Tensor mean =
      (variance.sum() - apart.of(variance).sum()) / static_cast<double>(spread.size(0) - apart.count);
  torch::Tensor lengths = torch::sqrt(mean / (variance + mean / (most * most)));
  apart.of(lengths).fill_(most);
  return lengths;
}

/// The table of prospects has a unit of its own, by which its gradients are steep: in inverse proportion to them it
/// would stand still. With Adam's steps it went all one way and not far (docs/training-log.md).
Segment table_of(const Parameters& parameters) {
  const torch::Tensor table = parameters.prospect_table();
  return table.defined() ? Segment{table.storage_offset() - parameters.actor().first, table.numel()} : Segment{};
}

}  // namespace

Adam::Adam(Parameters& parameters, const AdamOptions& options) : parameters_(parameters), options_(options) {
  const torch::Tensor& flat = parameters.flat();
  const auto scalar = torch::dtype(torch::kFloat64).device(flat.device());
  first_moment = torch::zeros_like(flat);
  second_moment = torch::zeros_like(flat);
  steps = torch::zeros({}, scalar);
  critic_steps = torch::zeros({}, scalar);
  skipped = torch::zeros({}, scalar);
  skipped_in_a_row = torch::zeros({}, scalar);
  norms = torch::zeros({2}, flat.options());
  rates_ = torch::zeros({2}, scalar);
  if (options.own_axes) axes.emplace(parameters);
}

void Adam::set_learning_rates(double actor, double critic) {
  if (actor == actor_rate_ && critic == critic_rate_) return;
  actor_rate_ = actor;
  critic_rate_ = critic;
  rates_.select(0, 0).fill_(actor);
  rates_.select(0, 1).fill_(critic);
}

void Adam::renew_axes(Team& team) {
  const Segment actor = parameters_.actor();
  if (axes) axes->renew(actor.of(first_moment), actor.of(second_moment), team);
}

void Adam::step(const torch::Tensor& loss) {
  const torch::NoGradGuard no_grad;
  const Segment segments[2] = {parameters_.actor(), parameters_.critic()};
  const int networks = parameters_.has_critic() ? 2 : 1;
  for (int i = 0; i < networks; ++i)
    norms.select(0, i).copy_(segments[i].of(parameters_.grad()).norm(2, torch::kFloat64));
  const torch::Tensor finite = torch::isfinite(norms).all().logical_and(torch::isfinite(loss));
  const torch::Tensor taken = finite.to(torch::kFloat64);
  const torch::Tensor counts[2] = {steps, critic_steps};
  for (int i = 0; i < networks; ++i) counts[i].add_(taken);
  skipped.add_(1 - taken);
  skipped_in_a_row.add_(1).mul_(1 - taken);
  for (int i = 0; i < networks; ++i)
    step_segment(segments[i], i == 0 && axes ? &*axes : nullptr, counts[i], norms.select(0, i), rates_.select(0, i),
                 finite);
}

void Adam::step_segment(const Segment& segment, GradientAxes* own_axes, const torch::Tensor& taken,
                        const torch::Tensor& norm, const torch::Tensor& rate, const torch::Tensor& finite) {
  const torch::Tensor scale = torch::clamp_max(options_.max_norm / (norm + 1e-6), 1.0);
  torch::Tensor gradient = torch::where(finite, segment.of(parameters_.grad()) * scale, torch::zeros_like(scale));
  // A skipped step has zero gradient and weight: the moments keep their values exactly.
  const torch::Tensor weight1 =
      torch::where(finite, torch::full_like(scale, 1 - options_.beta1), torch::zeros_like(scale));
  const torch::Tensor weight2 =
      torch::where(finite, torch::full_like(scale, 1 - options_.beta2), torch::zeros_like(scale));
  if (own_axes) {
    own_axes->observe(gradient, weight2);
    gradient = own_axes->turned(gradient);
  }
  torch::Tensor first = segment.of(first_moment), second = segment.of(second_moment);
  first.add_((gradient - first) * weight1);
  second.add_((gradient * gradient - second) * weight2);
  const torch::Tensor count = torch::clamp_min(taken, 1.0);
  const torch::Tensor correction1 = 1 - torch::pow(options_.beta1, count);
  const torch::Tensor correction2 = torch::sqrt(1 - torch::pow(options_.beta2, count));
  const torch::Tensor step_size = torch::where(finite, rate / correction1, torch::zeros_like(rate));
  const torch::Tensor spread = torch::sqrt(second) / correction2.to(torch::kFloat32) + options_.epsilon;
  torch::Tensor change = first / spread * step_size.to(torch::kFloat32);
  if (own_axes && options_.flat_steps > 1)
    change = change * natural_lengths(spread, options_.flat_steps, table_of(parameters_));
  segment.of(parameters_.flat()).sub_(own_axes ? own_axes->turned_back(change) : change);
}

}  // namespace neuopt::train
