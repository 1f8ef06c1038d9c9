#include "train/missed_learner.h"

#include <algorithm>
#include <cmath>

#include "train/missed_rows.h"

namespace neuopt::train {
namespace {

/// Of the root mean square of all advantages: what hardly gains is not blown up.
constexpr double kLeastScale = 0.1;

/// Exchanges of an update for each of its drawn rows.
constexpr int kDrawnRows = 16;

std::int64_t exchanges_of_update(const TrainConfig& config) { return (config.rows + kDrawnRows - 1) / kDrawnRows; }

/// Each index twice.
torch::Tensor twice(const torch::Tensor& index) { return index.unsqueeze(1).expand({-1, 2}).reshape({-1}); }

}  // namespace

MissedLearner::MissedLearner(SizeContext& context, const BatchEnvironment& branches)
    : context_(context),
      rows_(empty_rows(branches, 2 * exchanges_of_update(context.config))),
      worth_(torch::zeros({exchanges_of_update(context.config)}, rows_.log_prob.options())),
      sums_(torch::zeros({4}, rows_.log_prob.options())) {}

void MissedLearner::find(const Chunk& rollout, const torch::Tensor& advantages) {
  const TrainConfig& config = context_.config;
  const std::int64_t states = static_cast<std::int64_t>(config.learned_steps()) * config.rollout_batch();
  found_ = missed_exchanges(config.kind(), slice(rollout.states, 0, states), rollout.choices.narrow(0, 0, states),
                            config.threads);
  sums_.narrow(0, 0, 2).add_(torch::stack({found_.gain.gt(0).to(torch::kFloat32).mean(), torch::ones_like(sums_[0])}));
  const torch::Tensor scales = advantage_scales(advantages, config.parts_of_batch(), kLeastScale);
  found_.gain = scaled(found_.gain.view({-1, config.batch, config.group}), scales, config.advantage_clip).view(-1);
  found_.gain *= scales.max() > kMissedRounding;  // where nothing was gained there is no unit
  choice_.emplace(found_.gain);
}

void MissedLearner::choose(const Chunk& rollout, double offset) {
  const std::int64_t count = worth_.size(0);
  const ChosenRows chosen = choice_->choose(count, offset);
  take_states(rollout.states, twice(chosen.index), rows_.states);
  torch::Tensor choices = rows_.choices.view({count, 2, -1});
  torch::index_select_out(choices, found_.choices, 0, chosen.index);
  worth_.copy_(found_.gain.index_select(0, chosen.index) * chosen.weight);
}

/// Of making the exchange, one way or the other.
torch::Tensor MissedLearner::log_probabilities() const {
  const DecodePlan plan = context_.policy.plan(rows_.states, rows_.choices);
  const PreparedPolicy prepared = context_.policy.prepare();
  const torch::Tensor embeddings = context_.policy.encode(prepared, rows_.states.features);
  const torch::Tensor ways =
      context_.policy.evaluate(prepared, embeddings, plan, rows_.states.exploration, rows_.choices).log_prob;
  const torch::Tensor choices = rows_.choices.view({worth_.size(0), 2, -1});
  const torch::Tensor one_way = choices.select(1, 0).eq(choices.select(1, 1)).all(1);
  return ways.view({-1, 2}).logsumexp(1) - std::log(2.0) * one_way;
}

torch::Tensor MissedLearner::loss() {
  const torch::Tensor log_prob = log_probabilities();
  const torch::Tensor probability = log_prob.detach().exp();
  const torch::Tensor counted = worth_.gt(0).logical_and(probability.isfinite());
  sums_.narrow(0, 2, 2).add_(torch::stack({probability.masked_fill(counted.logical_not(), 0).sum(), counted.sum()}));
  return -context_.config.missed_weight * (worth_ * log_prob).mean();
}

void MissedLearner::report(GroupStatistics& statistics) const {
  const torch::Tensor sums = sums_.to(torch::kCPU, torch::kFloat64);
  const auto mean = [&](int sum) { return sums[sum].item<double>() / std::max(1.0, sums[sum + 1].item<double>()); };
  statistics.missed = mean(0);
  statistics.missed_probability = mean(2);
}

}  // namespace neuopt::train
