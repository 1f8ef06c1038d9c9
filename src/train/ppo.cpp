#include "train/ppo.h"

#include <vector>

#include "train/half_ops.h"

namespace neuopt::train {
namespace {

/// What each row contributes to the objective.
torch::Tensor clipped_gain(const torch::Tensor& log_prob, const torch::Tensor& old_log_prob,
                           const torch::Tensor& advantage, double clip) {
  const torch::Tensor ratio = torch::exp(log_prob - old_log_prob);
  return torch::min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage);
}

/// Squared errors summed over the heads; the larger of the plain and the clipped one for each state.
torch::Tensor squared_value_loss(const torch::Tensor& values, const torch::Tensor& returns,
                                 const torch::Tensor& old_values, double clip) {
  const torch::Tensor plain = torch::square(values - returns).sum(-1);
  if (!old_values.defined()) return plain.mean();
  const torch::Tensor clipped = old_values + (values - old_values).clamp(-clip, clip);
  return torch::max(plain, torch::square(clipped - returns).sum(-1)).mean();
}

torch::Tensor bootstrap_values(const PolicyNetwork& policy, const CriticNetwork& critic, const PreparedPolicy& prepared,
                               const Observation& last) {
  const torch::NoGradGuard no_grad;
  return critic.values(policy.encode(prepared, last.features), last.costs, last.exploration);
}

}  // namespace

torch::Tensor n_step_returns(const torch::Tensor& rewards, const torch::Tensor& bootstrap, double gamma) {
  std::vector<torch::Tensor> returns(static_cast<std::size_t>(rewards.size(0)));
  torch::Tensor value = bootstrap;
  for (std::int64_t step = rewards.size(0) - 1; step >= 0; --step) {
    value = rewards.select(0, step) + gamma * value;
    returns[static_cast<std::size_t>(step)] = value;
  }
  return torch::stack(returns, 0);
}

LossParts chunk_loss(const PolicyNetwork& policy, const CriticNetwork& critic, const Chunk& chunk,
                     const DecodePlan& plan, const torch::Tensor& old_values, const PpoOptions& options) {
  LossParts parts;
  const PreparedPolicy prepared = policy.prepare();
  const torch::Tensor embeddings = policy.encode(prepared, chunk.states.features);
  const Evaluation actions = policy.evaluate(prepared, embeddings, plan, chunk.states.exploration, chunk.choices);
  parts.log_prob = actions.log_prob;
  parts.entropy = actions.entropy;
  parts.values =
      critic.values(embeddings.detach(), chunk.states.costs, chunk.states.exploration).view(chunk.rewards.sizes());
  parts.bootstrap = bootstrap_values(policy, critic, prepared, chunk.last);
  parts.returns = n_step_returns(chunk.rewards, parts.bootstrap, options.gamma);
  parts.advantage = parts.returns.sum(-1) - parts.values.detach().sum(-1);
  parts.policy_loss = -clipped_gain(parts.log_prob, chunk.log_prob, parts.advantage.view(-1), options.clip).mean();
  parts.value_loss = squared_value_loss(parts.values, parts.returns, old_values, options.value_clip);
  return parts;
}

WeightedLoss weighted_loss(const PolicyNetwork& policy, const Rows& rows, const DecodePlan& plan,
                           const torch::Tensor& advantage, const torch::Tensor& weight, double clip,
                           double entropy_weight) {
  const bool learn_entropy = entropy_weight > 0;
  const PreparedPolicy prepared = policy.prepare();
  const torch::Tensor embeddings = policy.encode(prepared, rows.states.features);
  const Evaluation actions =
      policy.evaluate(prepared, embeddings, plan, rows.states.exploration, rows.choices, learn_entropy);
  WeightedLoss parts;
  parts.embeddings = embeddings.detach();
  parts.log_prob = actions.log_prob;
  parts.entropy = actions.entropy;
  parts.policy_loss = -(weight * clipped_gain(parts.log_prob, rows.log_prob, advantage, clip)).mean();
  parts.mean_entropy = (weight * parts.entropy).mean();
  parts.loss = learn_entropy ? parts.policy_loss - entropy_weight * parts.mean_entropy : parts.policy_loss;
  return parts;
}

void find_gradients(Parameters& parameters, const torch::Tensor& loss, std::int64_t rows, Precision precision) {
  parameters.zero_gradients();
  if (precision != Precision::fp16) return loss.backward();
  const double scale = half_loss_scale(rows);
  loss.backward(torch::full_like(loss, scale));
  const torch::NoGradGuard no_grad;
  parameters.grad().mul_(1 / scale);
}

}  // namespace neuopt::train
