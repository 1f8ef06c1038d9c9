// All settings of a training run. A TOML file holds them as plain `key = value` lines; field names are the keys.
// settings_list.h says what each means.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/gire.h"
#include "policy/architecture.h"

namespace neuopt::train {

struct TrainConfig {
  // The problem.
  std::string problem = "tsp";
  int size = 20;
  std::vector<int> more_sizes;
  int depots = 0;
  double capacity = 0;
  double epsilon = 0;
  double shaped = 0;

  // The network.
  int dim = 128;
  int heads = 4;
  int layers = 3;
  int feed_forward = 128;
  int max_moves = 4;
  int logit_bound = 6;
  bool prospects = false;
  int foresight = 2;
  bool recurrent = true;
  bool move_stream = true;
  bool edge_stream = true;
  bool random_start_move = false;
  bool fixed_k = false;
  bool masking = false;

  // GIRE (constrained problems only), see env::GireParameters.
  bool violation_features = true;
  bool exploration_features = true;
  bool regulation_reward = true;
  bool bonus_reward = true;
  double alpha = 0.05;
  double beta = 0.05;

  // Learning (Algorithm 1 of the paper).
  std::string algorithm = "ppo";
  int epochs = 200;
  int batches_per_epoch = 20;
  int batch = 512;
  int steps = 200;
  int chunk = 4;
  int inner_epochs = 3;
  double curriculum = 1;
  int depths = 1;
  int fresh = 0;
  int pool = 1;
  int stall_limit = 0;
  double gamma = 0.999;
  double clip = 0.1;
  double value_clip = 0.1;
  double max_norm = 0.05;
  double actor_rate = 8e-5;
  double critic_rate = 2e-5;
  double rate_decay = 0.985;
  double final_rate = 1;
  int first_epoch = 0;
  int warm_up = 0;
  int axes_interval = 0;
  double flat_steps = 1;
  int average = 0;

  // Group rollouts, instead of chunk and value_clip.
  int group = 16;
  int horizon = 25;
  int lookahead = 0;
  int rows = 4096;
  int minibatches = 8;
  double advantage_clip = 5;
  double edge_credit = 0;
  bool polished_ends = false;
  bool bootstrap = false;
  int bootstrap_interval = 0;
  double bootstrap_share = 0.5;
  double missed_weight = 0;
  bool group_scale = false;
  double entropy_weight = 0;

  // The run.
  std::string init;
  bool init_average = false;
  std::uint64_t seed = 1;
  std::string device = "auto";
  std::string precision = "auto";
  int threads = 0;
  bool graphs = true;
  int checkpoint_interval = 20;

  // Validation.
  std::string validation;
  int validation_count = 1000;
  std::uint64_t validation_seed = 987654321;
  std::vector<int> validation_steps{100, 300};
  int validation_interval = 20;

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

/// The same of the defaults, with the meaning behind each.
std::string explain_settings();

}  // namespace neuopt::train
