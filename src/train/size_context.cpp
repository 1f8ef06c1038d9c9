#include "train/size_context.h"

#include <algorithm>
#include <cmath>

#include "train/ppo.h"

namespace neuopt::train {
SizeContext::SizeContext(const TrainConfig& c, LearningState& learning_state, torch::Device on)
    : config(c),
      device(on),
      state(learning_state),
      environment(environment_options(c, on)),
      nodes(environment.options().nodes()),
      precision(choose_precision(c.precision, on, c.architecture(), nodes)),
      policy(state.parameters, nodes, precision),
      sampler(make_sampler(policy, state.parameters, nodes, std::max(c.rollout_batch(), c.pool * c.batch),
                           precision == Precision::fp16)),
      key{c.seed, Stream::searches, torch::zeros({2}, torch::dtype(torch::kInt64).device(on))} {
  apply_precision(precision);
  const auto real = torch::dtype(torch::kFloat32).device(device);
  improvement_sum_ = torch::zeros({}, real);
  sums_ = torch::zeros({6}, real);
}

void SizeContext::generate(BatchEnvironment& searches, int batch_number) const {
  const std::int64_t first_instance = state.team->place(batch_number) * config.instances_of_batch();
  const std::uint64_t series = static_cast<std::uint64_t>(config.instance_series()) << 32;
  searches.generate(config.seed, series | static_cast<std::uint32_t>(first_instance));
}

void SizeContext::begin_batch(int batch_number, double progress) {
  if (config.pool == 1 || config.fresh > 0) generate(environment, batch_number);  // else a pool hands searches over
  key.counters.select(0, 0).fill_(state.team->place(batch_number) * config.batch);
  key.counters.select(0, 1).fill_(0);
  improvement_sum_.zero_();
  sums_.zero_();
  decay_ = std::pow(config.rate_decay, config.epoch_of(batch_number));
  set_progress(progress);
}

void SizeContext::set_progress(double progress) { rate_scale_ = decay_ * std::lerp(1.0, config.final_rate, progress); }

void SizeContext::announce_updates(int count) {
  double scale = rate_scale_;
  if (state.updates < config.warm_up) scale *= static_cast<double>(state.updates + 1) / config.warm_up;
  state.adam.set_learning_rates(config.actor_rate * scale, config.critic_rate * scale);
  const std::int64_t interval = config.axes_interval;
  if (interval > 0 && (state.updates + count) / interval > state.updates / interval) state.adam.renew_axes(*state.team);
  state.updates += count;
}

void SizeContext::descend(const Losses& losses, std::int64_t rows) {
  find_gradients(state.parameters, losses.total, rows, precision);
  mark_inside_graph("backward");
  const torch::NoGradGuard no_grad;
  state.adam.step(shared_gradients(losses.total.detach()));
  const torch::Tensor row = torch::cat({torch::stack({losses.policy, losses.value, losses.entropy}), state.adam.norms,
                                        torch::ones({1}, sums_.options())});
  sums_.add_(torch::where(torch::isfinite(row).all(), row, torch::zeros_like(row)));
  mark_inside_graph("optimiser");
}

/// The gradients become the mean of the team's, and the loss as well: a member whose loss or gradient is not finite
/// makes the mean so, and all skip the update.
torch::Tensor SizeContext::shared_gradients(const torch::Tensor& loss) {
  if (state.team->size() == 1) return loss;
  torch::Tensor all = torch::cat({state.parameters.grad(), loss.view({1})});
  state.team->average(all);
  const std::int64_t count = state.parameters.grad().numel();
  state.parameters.set_gradients(all.narrow(0, 0, count));
  return all[count];
}

void SizeContext::mark_inside_graph(const char* phase) {
  if (!config.graphs || !device.is_cuda()) state.clock.mark(phase);
}

BatchStatistics SizeContext::end_batch(int rollouts) {
  state.mean_improvement.copy_(improvement_sum_ / rollouts);
  state.team->average(state.mean_improvement);
  const torch::Tensor sums = (sums_ / sums_[5].clamp_min(1)).to(torch::kCPU);
  BatchStatistics statistics;
  statistics.size = config.size;
  statistics.policy_loss = sums[0].item<double>();
  statistics.value_loss = sums[1].item<double>();
  statistics.entropy = sums[2].item<double>();
  statistics.actor_norm = sums[3].item<double>();
  statistics.critic_norm = sums[4].item<double>();
  statistics.actor_rate = state.adam.actor_rate();
  statistics.skipped = state.adam.skipped.item<double>();
  statistics.skipped_in_a_row = state.adam.skipped_in_a_row.item<double>();
  statistics.final_cost = environment.best_costs().mean().item<double>();
  statistics.steps = rollouts * config.rollout_steps();
  return statistics;
}

}  // namespace neuopt::train
