// Every setting of a training run with its meaning, in the order in which they are written.
#pragma once

#include "train/config.h"

namespace neuopt::train {

/// Calls visit(key, field, meaning) for every setting, and heading(text) before each group of them.
template <class Config, class Visit, class Heading>
void visit_settings(Config& c, Visit&& visit, Heading&& heading) {
#define NEUOPT_SETTING(name, meaning) visit(#name, c.name, meaning)
  heading("The problem");
  NEUOPT_SETTING(problem, "tsp, cvrp or vrptw");
  NEUOPT_SETTING(size, "nodes of a tsp, customers of the others");
  NEUOPT_SETTING(more_sizes, "batches of these take turns with those of size, which is validated on");
  NEUOPT_SETTING(depots, "D, depots of a tour; 0: as usual for the size");
  NEUOPT_SETTING(capacity, "of a vehicle; 0: as usual for the size");
  NEUOPT_SETTING(epsilon, "bound of epsilon-feasibility; 0: by the paper's rule");
  NEUOPT_SETTING(shaped, "share of the instances, 0 to 1, that are not uniform");
  heading("The network");
  NEUOPT_SETTING(dim, "width of the embeddings");
  NEUOPT_SETTING(heads, "of attention");
  NEUOPT_SETTING(layers, "of the encoder");
  NEUOPT_SETTING(feed_forward, "width of the layer behind attention");
  NEUOPT_SETTING(max_moves, "K, most edges that an exchange removes");
  NEUOPT_SETTING(logit_bound, "C: logits are C * tanh(score)");
  NEUOPT_SETTING(prospects, "the scores know what choices lead to; not for the vrptw");
  NEUOPT_SETTING(foresight, "edges of the exchanges that an anchor and the choice behind it are told of, 2 or 3");
  NEUOPT_SETTING(recurrent, "false: no GRUs in the decoder; this and the next ones are ablations");
  NEUOPT_SETTING(move_stream, "the decoder's stream of moves");
  NEUOPT_SETTING(edge_stream, "the decoder's stream of edges");
  NEUOPT_SETTING(random_start_move, "the S-move is drawn evenly");
  NEUOPT_SETTING(fixed_k, "the E-move is chosen only when nothing else is left");
  NEUOPT_SETTING(masking, "only feasible exchanges, with max_moves = 2; cvrp");
  heading("GIRE, for problems with constraints");
  NEUOPT_SETTING(violation_features, "the network sees where constraints are violated");
  NEUOPT_SETTING(exploration_features, "statistics of feasibility steer the decoder");
  NEUOPT_SETTING(regulation_reward, "against extreme exploration");
  NEUOPT_SETTING(bonus_reward, "for epsilon-feasible solutions");
  NEUOPT_SETTING(alpha, "weight of the regulation reward");
  NEUOPT_SETTING(beta, "weight of the bonus reward");
  heading("Learning, Algorithm 1 of the paper");
  NEUOPT_SETTING(algorithm, "ppo: n-step PPO with a critic; groups: group rollouts");
  NEUOPT_SETTING(epochs, "of the schedule");
  NEUOPT_SETTING(batches_per_epoch, "of `batch` searches each");
  NEUOPT_SETTING(batch, "searches of a batch that learn");
  NEUOPT_SETTING(steps, "T_train: search steps of a batch that are learned from");
  NEUOPT_SETTING(chunk, "n: steps of a rollout of PPO");
  NEUOPT_SETTING(inner_epochs, "updates on the same rows");
  NEUOPT_SETTING(curriculum, "xi: floor(epoch / xi) steps without learning come first");
  NEUOPT_SETTING(depths, "parts of a batch; the p-th of them, from 0, does without p / (depths - 1) of those");
  NEUOPT_SETTING(fresh, "one search in so many does without all of those, to learn the way down; 0: none does");
  NEUOPT_SETTING(pool, "searches before learning for each that learns, in pairs; 1: just those");
  NEUOPT_SETTING(stall_limit,
                 "T_D2A: steps without a new best until a search draws a new augmentation; 0: none is drawn");
  NEUOPT_SETTING(gamma, "discount of the rewards");
  NEUOPT_SETTING(clip, "bound of the ratio of probabilities, from 1");
  NEUOPT_SETTING(value_clip, "bound of a value's change, of PPO");
  NEUOPT_SETTING(max_norm, "of the gradients of actor and critic, each");
  NEUOPT_SETTING(actor_rate, "learning rate of the policy");
  NEUOPT_SETTING(critic_rate, "learning rate of the critic");
  NEUOPT_SETTING(rate_decay, "factor of both rates for each epoch");
  NEUOPT_SETTING(final_rate, "share of the rates to which they fall in a line until the end of the run");
  NEUOPT_SETTING(first_epoch, "the schedule starts here: a warm start need not begin at 0");
  NEUOPT_SETTING(warm_up, "updates over which the learning rates rise from 0");
  NEUOPT_SETTING(axes_interval, "updates after which Adam's axes are turned; 0: never");
  NEUOPT_SETTING(
      flat_steps,
      "bound of the steps along these axes, in Adam's; 1: as long as Adam's; those of prospects have that length");
  NEUOPT_SETTING(average, "rollouts that the average of the policy's weights reaches back; 0: no average");
  heading("Group rollouts, instead of chunk and value_clip");
  NEUOPT_SETTING(group, "G: branches of each search");
  NEUOPT_SETTING(horizon, "h: steps of a rollout");
  NEUOPT_SETTING(lookahead, "of these, the last so many only tell what came of the others and are not learned from");
  NEUOPT_SETTING(rows, "of an update, chosen among those of a rollout: (horizon - lookahead) * batch * group");
  NEUOPT_SETTING(minibatches, "updates (times inner_epochs) that a rollout teaches, each on rows of its own");
  NEUOPT_SETTING(advantage_clip, "bound of an advantage, in root mean squares");
  NEUOPT_SETTING(
      edge_credit,
      "share of the advantages, 0 to 1, for the steps that made an improvement; the rest is by the rewards-to-go");
  NEUOPT_SETTING(polished_ends,
                 "the reward of a branch is what local search gains from its end, instead of its improvements");
  NEUOPT_SETTING(bootstrap, "a critic tells what the branches may gain after the horizon");
  NEUOPT_SETTING(bootstrap_interval,
                 "steps of a rollout after which it has a say each time; 0: only after the last one");
  NEUOPT_SETTING(bootstrap_share, "of the rewards-to-go that is by its word then");
  NEUOPT_SETTING(missed_weight, "of exchanges that the policy could have made in the loss; 0: they are not looked for");
  NEUOPT_SETTING(group_scale, "the root mean square is that of the group, not of the whole rollout");
  NEUOPT_SETTING(entropy_weight, "of the mean entropy in the loss");
  heading("The run");
  NEUOPT_SETTING(init, "model or run folder to start from; empty: random weights");
  NEUOPT_SETTING(init_average, "take the average of that run instead of its weights");
  NEUOPT_SETTING(seed, "of all random numbers but those of validation");
  NEUOPT_SETTING(device, "auto, cpu or cuda");
  NEUOPT_SETTING(precision, "fp32, tf32 or fp16; auto: the fastest that is possible");
  NEUOPT_SETTING(threads, "on a CPU; 0: all");
  NEUOPT_SETTING(graphs, "replay captured CUDA graphs rather than launch kernel by kernel");
  NEUOPT_SETTING(checkpoint_interval, "batches");
  heading("Validation");
  NEUOPT_SETTING(validation, "a test set; empty: generated instances");
  NEUOPT_SETTING(validation_count, "of generated instances, or the first of a set");
  NEUOPT_SETTING(validation_seed, "of its instances, which never occur in training, its starts and choices");
  NEUOPT_SETTING(validation_steps, "search steps after which the mean best cost is reported");
  NEUOPT_SETTING(validation_interval, "batches");
#undef NEUOPT_SETTING
}

template <class Config, class Visit>
void visit_settings(Config& c, Visit&& visit) {
  visit_settings(c, visit, [](const char*) {});
}

}  // namespace neuopt::train
