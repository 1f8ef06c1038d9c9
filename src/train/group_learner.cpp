#include "train/group_learner.h"

#include <algorithm>
#include <cmath>

#include "core/philox.h"
#include "train/edge_credit.h"
#include "train/ppo.h"

namespace neuopt::train {
namespace {

/// Weighted, scaled advantages are about 1, tens of times those of a critic: half numbers need so much less room.
constexpr std::int64_t kHalfRoom = 8;

/// Costs add up with rounding errors: a search that is back at its best tour may seem to improve on it by less.
constexpr float kRounding = 1e-6f;

/// Of the root mean square of all advantages: a group that hardly gains is not blown up. Parts of different depths are:
/// on the way down a step gains hundreds of times what it does at the end, and both are to be learned.
constexpr double kLeastGroupScale = 0.1;

/// Into the rows of `to` that begin at `first`.
void take_rows(const torch::Tensor& from, const torch::Tensor& index, const torch::Tensor& to, std::int64_t first = 0) {
  torch::Tensor part = to.narrow(0, first, index.size(0));
  torch::index_select_out(part, from, 0, index);
}

void take_states(const Observation& from, const torch::Tensor& index, const Observation& to, std::int64_t first = 0) {
  take_rows(from.features, index, to.features, first);
  take_rows(from.exploration, index, to.exploration, first);
  take_rows(from.previous_anchor, index, to.previous_anchor, first);
  take_rows(from.costs, index, to.costs, first);
}

}  // namespace

GroupLearner::GroupLearner(SizeContext& context)
    : context_(context),
      branches_(context.environment.options().with_batch(context.config.rollout_batch())),
      key_{context.config.seed, Stream::branches, torch::zeros_like(context.key.counters)},
      chunk_(empty_chunk(branches_, context.config.horizon)),
      rows_(empty_rows(branches_, context.config.rows + 2 * context.config.missed_rows())),
      advantage_(torch::zeros({context.config.rows}, rows_.log_prob.options())),
      weight_(torch::ones_like(advantage_)),
      worth_(torch::zeros({context.config.missed_rows()}, advantage_.options())),
      return_(torch::zeros_like(advantage_)),
      sums_(torch::zeros({6}, rows_.log_prob.options())),
      roll_out_replay_([this] { roll_out_branches(); }, context.device, context.config.graphs),
      update_replay_([this] { update(); }, context.device, context.config.graphs) {
  rows_.log_prob = rows_.log_prob.narrow(0, 0, context.config.rows);
  if (context.config.bootstrap) critic_.emplace(context, branches_);
  if (context.config.polished_ends) polish_.emplace(branches_, context.config.group);
  if (context.config.edge_credit > 0)
    chunk_.orders = torch::zeros({context.config.horizon + 1, branches_.options().batch, branches_.options().nodes()},
                                 branches_.orders().options());
}

void GroupLearner::begin_batch(int batch_number) {
  place_ = context_.state.team->place(batch_number);
  rollouts_ = 0;
  key_.counters.select(0, 0).fill_(place_ * branches_.options().batch);
  key_.counters.select(0, 1).fill_(0);
  sums_.zero_();
  if (!polish_) return;
  branches_.branch_from(context_.environment);
  polish_->begin_batch(branches_);
}

void GroupLearner::learn() {
  roll_out();
  for (int minibatch = 0; minibatch < context_.config.minibatches; ++minibatch) learn_minibatch(minibatch, 0);
}

void GroupLearner::roll_out() {
  const bool unit_is_missing = critic_ && !critic_->has_unit();
  roll_out_replay_.run();
  if (unit_is_missing) context_.state.team->average(context_.state.value_unit);  // each rank may have set its own
  ++rollouts_;
  weigh_rows();
  context_.state.clock.mark("rollout");
}

void GroupLearner::learn_minibatch(int minibatch, int draw) {
  choose_rows(minibatch, draw);
  context_.state.clock.mark("selection");
  context_.announce_updates(context_.config.inner_epochs);
  update_replay_.run();
  context_.state.clock.mark("update");
}

void GroupLearner::roll_out_branches() {
  const torch::NoGradGuard no_grad;
  context_.sampler->take_weights();
  branches_.branch_from(context_.environment);
  train::roll_out(branches_, *context_.sampler, key_, context_.state.mean_improvement, chunk_);
  if (critic_) critic_->look_ahead(branches_, chunk_);
  if (polish_) polish_->reward_ends(branches_, chunk_.rewards);
  context_.environment.take_first_branches(branches_);
  context_.count_improvement(chunk_.rewards);
}

torch::Tensor GroupLearner::raw_advantages() {
  const TrainConfig& config = context_.config;
  const auto in_groups = [&](const torch::Tensor& rows) { return rows.reshape({-1, config.batch, config.group}); };
  const torch::Tensor rewards = chunk_.rewards.sum(-1);
  returns_ = in_groups(critic_ ? critic_->returns(rewards)
                               : n_step_returns(rewards, torch::zeros_like(rewards.select(0, 0)), config.gamma));
  const torch::Tensor to_go = group_advantages(returns_);
  if (config.edge_credit == 0) return to_go;
  const torch::Tensor improvements = chunk_.rewards.select(2, 0), shaping = chunk_.rewards.narrow(2, 1, 2).sum(-1);
  const torch::Tensor credit = edge_credit(chunk_.orders, improvements, context_.environment.options().depots);
  return mixed_advantages(group_advantages(in_groups(credit + shaping)), to_go, config.edge_credit);
}

void GroupLearner::weigh_rows() {
  const torch::NoGradGuard no_grad;
  const TrainConfig& config = context_.config;
  const torch::Tensor raw = raw_advantages().narrow(0, 0, config.learned_steps());
  const torch::Tensor scales = config.group_scale ? advantage_scales(raw, config.batch, kLeastGroupScale)
                                                  : advantage_scales(raw, config.parts_of_batch(), 0);
  advantages_ = scaled(raw, scales, config.advantage_clip).view(-1);
  weigh_missed(scales);
  choice_.emplace(expected_lengths(advantages_, chunk_.log_prob.narrow(0, 0, advantages_.size(0))));
  const torch::Tensor improved = chunk_.rewards.select(2, 0).gt(kRounding).any(0).view({config.batch, config.group});
  sums_.add_(torch::stack({improved.to(torch::kFloat32).mean(), improved.any(1).to(torch::kFloat32).mean(),
                           torch::square(group_advantages(returns_)).mean().sqrt(), explained(), missed_share(),
                           torch::zeros({}, sums_.options())}));
}

void GroupLearner::weigh_missed(const torch::Tensor& scales) {
  const TrainConfig& config = context_.config;
  if (config.missed_weight == 0) return;
  missed_ = missed_exchanges(config.kind(), chunk_);
  const torch::Tensor gain = missed_.gain.view({-1, config.batch, config.group}).narrow(0, 0, config.learned_steps());
  missed_.gain = scaled(gain, scales, config.advantage_clip).view(-1);
  missed_choice_.emplace(missed_.gain);
}

torch::Tensor GroupLearner::missed_share() const {
  if (!missed_choice_) return torch::zeros({}, sums_.options());
  return missed_.gain.gt(0).to(torch::kFloat32).mean();
}

/// The offsets of a rollout's minibatches are evenly spread from a random one: each minibatch is unbiased by itself,
/// and they share few rows.
void GroupLearner::choose_rows(int minibatch, int draw) {
  const torch::NoGradGuard no_grad;
  const TrainConfig& config = context_.config;
  const Philox4 words = Random{config.seed}.words(Draw::decode, static_cast<std::uint32_t>(place_),
                                                  static_cast<std::uint32_t>(Stream::row_choice),
                                                  static_cast<std::uint32_t>(rollouts_), 0);
  const double offset =
      std::fmod(uniform_float(words.word[draw]) + static_cast<double>(minibatch) / config.minibatches, 1.0);
  const ChosenRows chosen = choice_->choose(config.rows, offset);
  take_states(chunk_.states, chosen.index, rows_.states);
  take_rows(chunk_.choices, chosen.index, rows_.choices);
  take_rows(chunk_.log_prob, chosen.index, rows_.log_prob);
  take_rows(advantages_, chosen.index, advantage_);
  if (critic_) take_rows(returns_.view(-1), chosen.index, return_);
  weight_.copy_(chosen.weight);
  if (missed_choice_) choose_missed(offset);
}

/// Each is two rows behind those that were drawn. A row without such an exchange is worth nothing.
void GroupLearner::choose_missed(double offset) {
  const std::int64_t drawn = context_.config.rows, count = context_.config.missed_rows();
  const ChosenRows chosen = missed_choice_->choose(count, offset);
  take_states(chunk_.states, chosen.index.repeat_interleave(2), rows_.states, drawn);
  torch::Tensor choices = rows_.choices.narrow(0, drawn, 2 * count).view({count, 2, -1});
  torch::index_select_out(choices, missed_.choices, 0, chosen.index);
  worth_.copy_(missed_.gain.index_select(0, chosen.index) * chosen.weight * context_.config.missed_weight);
}

void GroupLearner::update() {
  const DecodePlan plan =
      plan_decoding(rows_.choices, rows_.states.previous_anchor, context_.nodes, context_.config.fixed_k,
                    masked_by(context_.config.masking, rows_.states.features));
  for (int epoch = 0; epoch < context_.config.inner_epochs; ++epoch) inner_epoch(plan);
}

void GroupLearner::inner_epoch(const DecodePlan& plan) {
  const WeightedLoss parts = weighted_loss(context_.policy, rows_, plan, advantage_, weight_, worth_,
                                           context_.config.clip, context_.config.entropy_weight);
  const torch::Tensor value_loss =
      critic_ ? critic_->loss(parts.embeddings, rows_, return_, weight_) : torch::zeros_like(parts.policy_loss);
  if (context_.config.missed_weight > 0) count_missed(parts.pair_log_prob.detach());
  context_.mark_inside_graph("update forward");
  context_.descend({.total = parts.loss + value_loss,
                    .policy = parts.policy_loss,
                    .value = value_loss,
                    .entropy = parts.mean_entropy},
                   std::max<std::int64_t>(1, context_.config.rows / kHalfRoom));
}

void GroupLearner::count_missed(const torch::Tensor& log_prob) {
  const torch::Tensor there = worth_.gt(0);
  const torch::Tensor probability = log_prob.exp().clamp_max(1);  // where both ways are the same they count double
  const torch::Tensor mean = (probability * there).sum() / there.sum().clamp_min(1);
  sums_.select(0, 5).add_(mean / (context_.config.minibatches * context_.config.inner_epochs));
}

std::optional<GroupStatistics> GroupLearner::statistics() const {
  const torch::Tensor means = (sums_ / std::max(rollouts_, 1)).to(torch::kCPU, torch::kFloat64);
  GroupStatistics statistics{.improved_branches = means[0].item<double>(),
                             .improved_groups = means[1].item<double>(),
                             .rms_advantage = means[2].item<double>(),
                             .explained = {},
                             .missed = {},
                             .missed_probability = {}};
  if (critic_) statistics.explained = means[3].item<double>();
  if (context_.config.missed_weight > 0) {
    statistics.missed = means[4].item<double>();
    statistics.missed_probability = means[5].item<double>();
  }
  return statistics;
}

/// Before the critic learns from the rollout, and of the rewards alone: what it says itself is to come would flatter
/// it.
torch::Tensor GroupLearner::explained() const {
  if (!critic_) return torch::zeros({}, sums_.options());
  const TrainConfig& config = context_.config;
  const int half = config.horizon / 2;
  const torch::Tensor rewards = chunk_.rewards.sum(-1).narrow(0, half, config.horizon - half);
  const torch::Tensor to_go = n_step_returns(rewards, torch::zeros_like(rewards[0]), config.gamma)[0];
  return critic_->explained(states_at(chunk_, half), to_go.view({config.batch, config.group}));
}

}  // namespace neuopt::train
