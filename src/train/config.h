// All settings of a training run. A TOML file holds them as plain `key = value` lines; field names are the keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/gire.h"
#include "policy/architecture.h"

namespace neuopt::train {

struct TrainConfig {
  // The problem.
  std::string problem = "tsp";  // a name of problem/problem_kind.h
  int size = 20;                // nodes of a tsp, customers of others
  std::vector<int> more_sizes;  // batches of these take turns with those of `size`, which is validated on
  int depots = 0;               // D; 0: as usual for the size
  double capacity = 0;          // 0: as usual for the size
  double epsilon = 0;           // bound of epsilon-feasibility; 0: by the paper's rule
  double shaped = 0;            // share of the instances, 0..1, that are not uniform (see generate_shaped)

  // The network.
  int dim = 128;
  int heads = 4;
  int layers = 3;
  int feed_forward = 128;
  int max_moves = 4;       // K
  int logit_bound = 6;     // C: logits are C * tanh(score)
  bool prospects = false;  // the scores know what choices lead to (env/prospects.h); not for the VRPTW
  int foresight = 2;       // edges of the exchanges that these look at: 2 or 3
  bool recurrent = true;   // the paper's ablations, see policy::Architecture
  bool move_stream = true;
  bool edge_stream = true;
  bool random_start_move = false;
  bool fixed_k = false;
  bool masking = false;

  // GIRE (constrained problems only), see env::GireParameters.
  bool violation_features = true;  // this one and the next are also part of policy::Architecture
  bool exploration_features = true;
  bool regulation_reward = true;
  bool bonus_reward = true;
  double alpha = 0.05;
  double beta = 0.05;

  // Learning (Algorithm 1 of the paper).
  std::string algorithm = "ppo";  // n-step PPO with a critic, or "groups": group rollouts, see group_learner.h
  int epochs = 200;
  int batches_per_epoch = 20;
  int batch = 512;  // instances in a batch
  int steps = 200;  // T_train: search steps with learning
  int chunk = 4;    // n: steps of a rollout of PPO
  int inner_epochs = 3;
  double curriculum = 1;  // xi: floor(epoch / xi) steps without learning come first
  int depths = 1;         // parts of a batch; the p-th of them, from 0, does without p / (depths - 1) of those
  int fresh = 0;          // one search in so many does without all of those, to learn the way down; 0: none does
  int pool = 1;           // searches before learning for each that learns, in pairs (see search_pool.h); 1: just those
  int stall_limit = 0;    // T_D2A: steps without a new best until a search draws a new augmentation; 0: none is drawn
  double gamma = 0.999;
  double clip = 0.1;
  double value_clip = 0.1;
  double max_norm = 0.05;  // of the gradients of actor and critic, each
  double actor_rate = 8e-5;
  double critic_rate = 2e-5;
  double rate_decay = 0.985;  // per epoch
  double final_rate = 1;      // share of the rates to which they fall in a line until the end of the run
  int first_epoch = 0;        // the schedule starts here (a warm start need not begin at 0)
  int warm_up = 0;            // updates over which the learning rates rise from 0
  int axes_interval = 0;      // updates after which Adam's axes are turned (see gradient_axes.h); 0: never
  double flat_steps = 1;      // bound of the steps along these axes, in Adam's (see adam.h); 1: as long as Adam's
  int average = 0;            // rollouts that the average of the policy's weights reaches back; 0: no average

  // Group rollouts, instead of chunk and value_clip.
  int group = 16;              // G: branches of each search
  int horizon = 25;            // h: steps of a rollout
  int lookahead = 0;           // of these, the last so many only tell what came of the others and are not learned from
  int rows = 4096;             // of an update, chosen among those of a rollout: learned_steps() * batch * group
  int minibatches = 8;         // updates (times inner_epochs) that a rollout teaches, each on rows of its own
  double advantage_clip = 5;   // bound of an advantage, in root mean squares
  double edge_credit = 0;      // share of the advantages, 0..1, that is for the steps that made an improvement (see
                               // edge_credit.h); the rest is by the rewards-to-go
  bool polished_ends = false;  // the reward of a branch is what local search gains from where it ends (see
                               // branch_polish.h), instead of its improvements
  bool bootstrap = false;      // a critic tells what the branches may gain after the horizon (see branch_critic.h)
  int bootstrap_interval = 0;  // steps of a rollout after which it has a say each time; 0: only after the last one
  double bootstrap_share = 0.5;  // of the rewards-to-go that is by its word then
  double missed_weight = 0;      // of exchanges that the policy could have made (see missed_learner.h) in the loss; 0:
                                 // they are not looked for
  bool group_scale = false;      // the root mean square is that of the group, not of the whole rollout
  double entropy_weight = 0;     // of the mean entropy in the loss

  // The run.
  std::string init;           // model or run folder to start from; empty: random weights
  bool init_average = false;  // take the average of that run instead of its weights
  std::uint64_t seed = 1;
  std::string device = "auto";
  std::string precision = "auto";  // fp32, tf32 or fp16 (see products.h); auto: the fastest that is possible
  int threads = 0;                 // on a CPU; 0: all
  bool graphs = true;              // replay captured CUDA graphs rather than launch kernel by kernel
  int checkpoint_interval = 20;    // batches

  // Validation.
  std::string validation;                       // a test set; empty: generated instances
  int validation_count = 1000;                  // of generated instances, or the first of a set
  std::uint64_t validation_seed = 987654321;    // its instances never occur in training
  std::vector<int> validation_steps{100, 300};  // search steps after which the mean best cost is reported
  int validation_interval = 20;                 // batches

  ProblemKind kind() const { return parse_problem(problem).value(); }
  policy::Architecture architecture() const;
  env::GireParameters gire() const;
  /// The settings of a batch of another size, with the depots, capacity and epsilon that are usual for it.
  TrainConfig with_size(int other) const;
  int total_batches() const { return (epochs - first_epoch) * batches_per_epoch; }
  bool grouped() const { return algorithm == "groups"; }
  bool has_critic() const { return !grouped() || bootstrap; }
  /// Steps and rows of a rollout.
  int rollout_steps() const { return grouped() ? horizon : chunk; }
  int rollout_batch() const { return grouped() ? batch * group : batch; }
  int instances_of_batch() const { return pool > 1 ? batch * pool / 2 : batch; }
  int parts_of_batch() const { return fresh > 0 ? fresh : depths; }  // of equal size, each of one depth
  int learned_steps() const { return horizon - lookahead; }          // of a group rollout
  int epoch_of(int batch_number) const { return first_epoch + batch_number / batches_per_epoch; }
  int curriculum_steps(int epoch) const;
  /// Upper half of the numbers of the training instances. The top bit keeps them apart from every generated test set,
  /// the rest makes legs with the same seed (other size, start or first epoch) draw other instances.
  std::uint32_t instance_series() const;
};

/// Reads a TOML file on top of the defaults, applies `settings` ("key=value" each), then completes and checks the
/// whole. Throws InputError naming the file and the line or "setting", the key and what was expected.
TrainConfig read_train_config(const std::string& path, const std::vector<std::string>& settings = {});
TrainConfig parse_train_config(const std::string& text, const std::string& where,
                               const std::vector<std::string>& settings = {});

/// One setting "key=value", as on the command line. The config is not checked.
void apply_setting(TrainConfig& config, const std::string& setting);

/// Throws InputError, starting with `where`, when the settings make no sense together; fills in what is 0 for "usual".
void complete_and_validate(TrainConfig& config, const std::string& where);

/// The TOML text of all settings; reading it gives the same config.
std::string format_train_config(const TrainConfig& config);

}  // namespace neuopt::train
