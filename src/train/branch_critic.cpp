#include "train/branch_critic.h"

#include <algorithm>

namespace neuopt::train {
namespace {

/// Steps that a discount of 1 counts as looking ahead.
constexpr double kLongestReach = 1000;

double reach(double gamma) { return std::min(kLongestReach, 1 / std::max(1 - gamma, 1e-9)); }

}  // namespace

BranchCritic::BranchCritic(SizeContext& context, const BatchEnvironment& branches)
    : context_(context),
      critic_(context.state.parameters),
      last_(branches.empty_observation(branches.options().batch)),
      to_come_(torch::zeros({branches.options().batch}, torch::dtype(torch::kFloat32).device(context.device))) {}

void BranchCritic::look_ahead(BatchEnvironment& branches, const torch::Tensor& rewards) {
  torch::Tensor& unit = context_.state.value_unit;
  const torch::Tensor first = (rewards.select(2, 0).mean() * reach(context_.config.gamma)).clamp_min(1e-6);
  unit.copy_(torch::where(unit > 0, unit, first));
  branches.observe(last_);
  to_come_.copy_(values(context_.policy.encode(context_.policy.prepare(), last_.features), last_) * unit);
}

torch::Tensor BranchCritic::values(const torch::Tensor& embeddings, const Observation& states) const {
  return critic_.values(embeddings, states.costs, states.exploration).select(1, 0);
}

torch::Tensor BranchCritic::loss(const torch::Tensor& embeddings, const Rows& rows, const torch::Tensor& returns,
                                 const torch::Tensor& weight) const {
  return (weight * torch::square(values(embeddings, rows.states) - returns / context_.state.value_unit)).mean();
}

double BranchCritic::explained(const Observation& states, const torch::Tensor& returns) const {
  const torch::NoGradGuard no_grad;
  const auto in_group = [&](const torch::Tensor& all) {
    const torch::Tensor groups = all.view(returns.sizes());
    return groups - groups.mean({1}, true);
  };
  const torch::Tensor embeddings = context_.policy.encode(context_.policy.prepare(), states.features);
  const torch::Tensor value = in_group(values(embeddings, states)), wanted = in_group(returns);
  const torch::Tensor product = (value * wanted).mean();
  const torch::Tensor share = product * product.abs() / (torch::square(value).mean() * torch::square(wanted).mean());
  return torch::where(torch::isfinite(share), share, torch::zeros_like(share)).item<double>();
}

}  // namespace neuopt::train
