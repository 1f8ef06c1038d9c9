#include "train/branch_critic.h"

#include <algorithm>

namespace neuopt::train {
namespace {

/// Steps, at most those of a search.
double reach(double gamma) { return std::min(1000.0, 1 / (1 - gamma)); }

/// Steps before which the critic has a say.
std::int64_t says_on_the_way(const TrainConfig& config) {
  return config.bootstrap_interval > 0 ? (config.horizon - 1) / config.bootstrap_interval : 0;
}

/// (B, 1): how far the current tour is above the best one, in tenths of its cost. What may be gained depends on it, and
/// embeddings hardly show it. Tours that are not feasible may be below.
torch::Tensor excess(const torch::Tensor& costs) {
  const torch::Tensor best = costs.narrow(1, 1, 1);
  return 10 * (costs.narrow(1, 0, 1) - best) / best;
}

}  // namespace

BranchCritic::BranchCritic(SizeContext& context, const BatchEnvironment& branches)
    : context_(context),
      critic_(context.state.parameters),
      last_(branches.empty_observation(branches.options().batch)),
      to_come_(torch::zeros({branches.options().batch}, torch::dtype(torch::kFloat32).device(context.device))),
      on_the_way_(torch::zeros({says_on_the_way(context.config), branches.options().batch}, to_come_.options())) {}

bool BranchCritic::has_unit() {
  if (!has_unit_) has_unit_ = context_.state.value_unit.item<float>() > 0;
  return has_unit_;
}

void BranchCritic::look_ahead(BatchEnvironment& branches, const Chunk& rollout) {
  torch::Tensor& unit_set = context_.state.value_unit;
  const torch::Tensor gained = rollout.rewards.select(2, 0).mean() * reach(context_.config.gamma);
  unit_set.copy_(torch::where(unit_set > 0, unit_set, gained));
  branches.observe(last_);
  to_come_.copy_(gains(last_));
  for (int say = 0; say < on_the_way_.size(0); ++say)
    on_the_way_[say].copy_(gains(states_at(rollout, (say + 1) * context_.config.bootstrap_interval)));
}

torch::Tensor BranchCritic::returns(const torch::Tensor& rewards) const {
  const TrainConfig& config = context_.config;
  std::vector<torch::Tensor> returns(static_cast<std::size_t>(rewards.size(0)));
  torch::Tensor ahead = to_come_;
  for (int step = static_cast<int>(rewards.size(0)) - 1; step >= 0; --step) {
    ahead = rewards[step] + config.gamma * ahead;
    returns[static_cast<std::size_t>(step)] = ahead;
    if (config.bootstrap_interval == 0 || step == 0 || step % config.bootstrap_interval != 0) continue;
    ahead = torch::lerp(ahead, on_the_way_[step / config.bootstrap_interval - 1], config.bootstrap_share);
  }
  return torch::stack(returns, 0);
}

torch::Tensor BranchCritic::gains(const Observation& states) const {
  return values(context_.policy.encode(context_.policy.prepare(), states.features), states) * unit();
}

/// 1 as long as nothing was gained.
torch::Tensor BranchCritic::unit() const {
  const torch::Tensor& unit_set = context_.state.value_unit;
  return torch::where(unit_set > 0, unit_set, torch::ones_like(unit_set));
}

torch::Tensor BranchCritic::values(const torch::Tensor& embeddings, const Observation& states) const {
  return critic_.reward_value(embeddings, excess(states.costs)).squeeze(1);
}

torch::Tensor BranchCritic::loss(const torch::Tensor& embeddings, const Rows& rows, const torch::Tensor& returns,
                                 const torch::Tensor& weight) const {
  return (weight * torch::square(values(embeddings, rows.states) - returns / unit())).mean();
}

torch::Tensor BranchCritic::explained(const Observation& states, const torch::Tensor& returns) const {
  const torch::NoGradGuard no_grad;
  const auto in_group = [&](const torch::Tensor& all) {
    const torch::Tensor groups = all.view(returns.sizes());
    return groups - groups.mean({1}, true);
  };
  const torch::Tensor embeddings = context_.policy.encode(context_.policy.prepare(), states.features);
  const torch::Tensor value = in_group(values(embeddings, states)), wanted = in_group(returns);
  const torch::Tensor product = (value * wanted).mean();
  const torch::Tensor share = product * product.abs() / (torch::square(value).mean() * torch::square(wanted).mean());
  return torch::where(torch::isfinite(share), share, torch::zeros_like(share));
}

}  // namespace neuopt::train
