#include "train/ppo_learner.h"

namespace neuopt::train {

PpoLearner::PpoLearner(SizeContext& context)
    : context_(context),
      options_{context.config.gamma, context.config.clip, context.config.value_clip, context.config.inner_epochs},
      critic_(context.state.parameters),
      chunk_(empty_chunk(context.environment, context.config.chunk)),
      old_values_(torch::zeros_like(chunk_.rewards)),
      roll_out_replay_([this] { roll_out_chunk(); }, context.device, context.config.graphs),
      update_replay_([this] { update(); }, context.device, context.config.graphs) {
  chunk_.last = context.environment.empty_observation(context.config.batch);
}

void PpoLearner::learn() {
  roll_out_replay_.run();
  context_.state.clock.mark("rollout");
  context_.announce_updates(options_.inner_epochs);
  update_replay_.run();
  context_.state.clock.mark("update");
}

void PpoLearner::roll_out_chunk() {
  const torch::NoGradGuard no_grad;
  context_.sampler->take_weights();
  roll_out(context_.environment, *context_.sampler, context_.key, context_.state.mean_improvement, chunk_);
  context_.environment.observe(chunk_.last);
  context_.count_improvement(chunk_.rewards);
}

void PpoLearner::update() {
  const DecodePlan plan = context_.policy.plan(chunk_.states, chunk_.choices);
  for (int epoch = 0; epoch < options_.inner_epochs; ++epoch) inner_epoch(plan, epoch == 0);
}

void PpoLearner::inner_epoch(const DecodePlan& plan, bool first) {
  const LossParts parts =
      chunk_loss(context_.policy, critic_, chunk_, plan, first ? torch::Tensor() : old_values_, options_);
  context_.mark_inside_graph("update forward");
  context_.descend({.total = parts.policy_loss + parts.value_loss,
                    .policy = parts.policy_loss,
                    .value = parts.value_loss,
                    .entropy = parts.entropy.mean()},
                   chunk_.log_prob.size(0));
  if (first) old_values_.copy_(parts.values.detach());
}

}  // namespace neuopt::train
