#include "train/group_learner.h"

#include <algorithm>
#include <cmath>

#include "core/philox.h"
#include "train/edge_credit.h"
#include "train/ppo.h"

namespace neuopt::train {
namespace {

/// Weighted, scaled advantages are about 1, tens of times those of a critic: half numbers need so much less room. What
/// missed exchanges are worth is as large, and they are fewer.
constexpr double kHalfRoom = 8;

/// Costs add up with rounding errors: a search that is back at its best tour may seem to improve on it by less.
constexpr float kRounding = 1e-6f;

/// Of the root mean square of all advantages: a group that hardly gains is not blown up. Parts of different depths are:
/// on the way down a step gains hundreds of times what it does at the end, and both are to be learned.
constexpr double kLeastGroupScale = 0.1;

/// As if a loss had so many rows, for the room of half numbers.
std::int64_t half_rows(const TrainConfig& config) {
  return std::max<std::int64_t>(1, std::llround(config.rows / (kHalfRoom * (1 + config.missed_weight))));
}

}  // namespace

GroupLearner::GroupLearner(SizeContext& context)
    : context_(context),
      branches_(context.environment.options().with_batch(context.config.rollout_batch())),
      key_{context.config.seed, Stream::branches, torch::zeros_like(context.key.counters)},
      chunk_(empty_chunk(branches_, context.config.horizon)),
      rows_(empty_rows(branches_, context.config.rows)),
      advantage_(torch::zeros_like(rows_.log_prob)),
      weight_(torch::ones_like(rows_.log_prob)),
      return_(torch::zeros_like(rows_.log_prob)),
      sums_(torch::zeros({4}, rows_.log_prob.options())),
      roll_out_replay_([this] { roll_out_branches(); }, context.device, context.config.graphs),
      update_replay_([this] { update(); }, context.device, context.config.graphs) {
  if (context.config.bootstrap) critic_.emplace(context, branches_);
  if (context.config.missed_weight > 0) missed_.emplace(context, branches_);
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
  if (missed_) missed_->begin_batch();
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
  const torch::Tensor scaled = config.group_scale
                                   ? scaled_advantages(raw, config.advantage_clip, config.batch, kLeastGroupScale)
                                   : scaled_advantages(raw, config.advantage_clip, config.parts_of_batch());
  advantages_ = scaled.view(-1);
  choice_.emplace(expected_lengths(advantages_, chunk_.log_prob.narrow(0, 0, advantages_.size(0))));
  const torch::Tensor to_go = group_advantages(returns_);
  if (missed_) missed_->find(chunk_, to_go.narrow(0, 0, config.learned_steps()));
  const torch::Tensor improved = chunk_.rewards.select(2, 0).gt(kRounding).any(0).view({config.batch, config.group});
  sums_.add_(torch::stack({improved.to(torch::kFloat32).mean(), improved.any(1).to(torch::kFloat32).mean(),
                           torch::square(to_go).mean().sqrt(), explained()}));
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
  if (missed_) missed_->choose(chunk_, offset);
}

void GroupLearner::update() {
  const DecodePlan plan = context_.policy.plan(rows_.states, rows_.choices);
  for (int epoch = 0; epoch < context_.config.inner_epochs; ++epoch) inner_epoch(plan);
}

void GroupLearner::inner_epoch(const DecodePlan& plan) {
  const WeightedLoss parts = weighted_loss(context_.policy, rows_, plan, advantage_, weight_, context_.config.clip,
                                           context_.config.entropy_weight);
  const torch::Tensor value_loss =
      critic_ ? critic_->loss(parts.embeddings, rows_, return_, weight_) : torch::zeros_like(parts.policy_loss);
  const torch::Tensor missed_loss = missed_ ? missed_->loss() : torch::zeros_like(parts.policy_loss);
  context_.mark_inside_graph("update forward");
  context_.descend({.total = parts.loss + value_loss + missed_loss,
                    .policy = parts.policy_loss,
                    .value = value_loss,
                    .entropy = parts.mean_entropy},
                   half_rows(context_.config));
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
  if (missed_) missed_->report(statistics);
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
