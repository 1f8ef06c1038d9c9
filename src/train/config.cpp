#include "train/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "core/checksum.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/settings_file.h"
#include "problem/generate_draw.h"
#include "problem/size_rules.h"
#include "search/settings.h"
#include "train/missed_rows.h"
#include "train/settings_list.h"

namespace neuopt::train {
namespace {

using Values = std::vector<std::string>;

bool convert(const std::string& text, std::string& value) {
  value = text;
  return true;
}

bool convert(const std::string& text, bool& value) {
  value = text == "true";
  return value || text == "false";
}

bool convert(const std::string& text, double& value) {
  const std::optional<double> number = parse_number(text);
  value = number.value_or(0);
  return number.has_value();
}

template <class Integer>
bool convert(const std::string& text, Integer& value) {
  const std::optional<long long> number = parse_integer(text);
  if (!number || !std::in_range<Integer>(*number)) return false;
  value = static_cast<Integer>(*number);
  return true;
}

const char* kind_of(const std::string&) { return "a text"; }
const char* kind_of(bool) { return "true or false"; }
const char* kind_of(double) { return "a number"; }
template <class Integer>
const char* kind_of(const Integer&) {
  return "a whole number";
}
const char* kind_of(const std::vector<int>&) { return "whole numbers, as in 100,300"; }

template <class Field>
bool assign(const Values& values, Field& field) {
  return values.size() == 1 && convert(values[0], field);
}

/// "100,300" or "[100, 300]", as one writes a list in a command.
Values split_list(std::string text) {
  for (char& c : text)
    if (c == ',' || c == '[' || c == ']') c = ' ';
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

bool assign(const Values& given, std::vector<int>& field) {
  const Values values = given.size() == 1 ? split_list(given[0]) : given;
  field.assign(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!convert(values[i], field[i])) return false;
  return true;
}

/// Where settings come from, for messages: the line of a file, or the command.
struct Origin {
  std::string file;
  std::map<std::string, long> lines;  // of the keys that stand in it
  std::set<std::string> commanded;    // keys that the command has set since

  std::string of(const std::string& key) const {
    if (commanded.contains(key)) return "setting";
    const auto line = lines.find(key);
    return line == lines.end() ? file : fmt::format("{}:{}", file, line->second);
  }
};

void set_field(TrainConfig& config, const std::string& key, const Values& values, const std::string& where) {
  bool known = false;
  visit_settings(config, [&](const char* name, auto& field, const char*) {
    if (key != name) return;
    known = true;
    if (!assign(values, field))
      throw InputError(fmt::format("{}: {} is {}, expected {}", where, key,
                                   quote_bytes(fmt::format("{}", fmt::join(values, " "))), kind_of(field)));
  });
  if (!known)
    throw InputError(
        fmt::format("{}: there is no setting {}, neuopt train --list-settings names all", where, quote_bytes(key)));
}

/// The message begins with the setting that it is about.
void require(bool condition, const Origin& where, const std::string& message) {
  if (!condition) throw InputError(fmt::format("{}: {}", where.of(message.substr(0, message.find(' '))), message));
}

void require_network(const TrainConfig& c, const Origin& where) {
  const std::string label = "network";
  try {
    policy::validate(c.architecture(), label);
  } catch (const InputError& error) {
    require(false, where, std::string(error.what()).substr(label.size() + 2));  // behind "network: "
  }
}

constexpr int kMostNodes = 10000;  // of an instance, or of its depots: attention takes the square of that

constexpr double kLargest = 1e6;  // of all settings that need not be whole

void require_positive(const TrainConfig& c, const Origin& where) {
  visit_settings(c, [&](const std::string& key, const auto& field, const char*) {
    if constexpr (std::is_same_v<decltype(field), const int&>) {
      constexpr std::string_view kZeroAllowed[] = {
          "depots",        "fresh",   "first_epoch", "stall_limit",        "warm_up",
          "axes_interval", "average", "lookahead",   "bootstrap_interval", "threads"};
      const bool zero_allowed =
          std::find(std::begin(kZeroAllowed), std::end(kZeroAllowed), key) != std::end(kZeroAllowed);
      require(field > 0 || (field == 0 && zero_allowed), where,
              fmt::format("{} is {}, expected {} or more", key, field, zero_allowed ? 0 : 1));
    }
    if constexpr (std::is_same_v<decltype(field), const double&>)
      require(field >= 0 && field <= kLargest, where, fmt::format("{} is {}, expected 0 to {}", key, field, kLargest));
  });
}

/// Mean demand of the uniform instances: 1..9.
constexpr double kMeanDemand = 5;

/// Routes that the standard start needs at most: in index order a route takes at least as many customers as fit with
/// the largest demand each.
int most_routes(const TrainConfig& c) {
  const int customers = static_cast<int>(c.capacity) / kMaxUniformDemand;
  return (c.size + customers - 1) / customers;
}

void complete_problem(TrainConfig& c, const Origin& where) {
  if (!traits(c.kind()).depots) {
    c.depots = 0;  // a file for the CVRP may be used with problem=tsp
    c.capacity = c.epsilon = 0;
    return;
  }
  if (c.capacity == 0) c.capacity = uniform_capacity(c.size);
  require(c.capacity >= kMaxUniformDemand && c.capacity <= 1e6, where,
          fmt::format("capacity is {}, expected {} (the largest demand) to 1000000", c.capacity, kMaxUniformDemand));
  if (c.depots == 0) c.depots = std::max(usual_depots(c.kind(), c.size), most_routes(c));
  require(traits(c.kind()).windows || c.depots >= most_routes(c), where,
          fmt::format("depots is {}, but {} customers with capacity {} may need {} routes", c.depots, c.size,
                      c.capacity, most_routes(c)));
  if (c.epsilon == 0 && traits(c.kind()).windows) c.epsilon = c.gire().zeta * c.size;
  if (c.epsilon == 0) c.epsilon = env::epsilon_for(c.gire(), c.size, static_cast<float>(kMeanDemand / c.capacity));
}

constexpr double kMostMissedWeight = 100;  // half numbers have no room for more

void validate_algorithm(const TrainConfig& c, const Origin& where) {
  require(c.algorithm == "ppo" || c.algorithm == "groups", where,
          fmt::format("algorithm is {}, expected ppo or groups", quote_bytes(c.algorithm)));
  require(c.steps % c.rollout_steps() == 0, where,
          fmt::format("steps ({}) are not a multiple of {} ({})", c.steps, c.grouped() ? "horizon" : "chunk",
                      c.rollout_steps()));
  require(static_cast<double>(c.rollout_steps()) * c.batch * (c.grouped() ? c.group : 1) < 2e9, where,
          fmt::format("{} * batch{} is too large, expected less than 2e9", c.grouped() ? "horizon" : "chunk",
                      c.grouped() ? " * group" : ""));
  require(c.batch % c.depths == 0, where,
          fmt::format("batch ({}) is not a multiple of depths ({})", c.batch, c.depths));
  require(c.fresh == 0 || (c.fresh > 1 && c.batch % c.fresh == 0), where,
          fmt::format("fresh is {}, expected 0, or 2 and more of which batch ({}) is a multiple", c.fresh, c.batch));
  require(c.fresh == 0 || c.depths == 1, where, "fresh and depths: expected one of them");
  require(c.pool == 1 || c.pool % 2 == 0, where,
          fmt::format("pool is {}, expected 1 or an even number: its searches come in pairs", c.pool));
  require(static_cast<double>(c.pool) * c.batch < 2e9, where, "pool * batch is too large");
  require(c.pool == 1 || c.depths == 1, where, "pool and depths: expected one of them");
  require(c.final_rate > 0 && c.final_rate <= 1, where,
          fmt::format("final_rate is {}, expected a share above 0 and at most 1", c.final_rate));
  require(c.flat_steps == 1 || (c.flat_steps > 1 && c.axes_interval > 0), where,
          fmt::format("flat_steps is {}, expected 1, or more with an axes_interval", c.flat_steps));
  require(!c.init_average || !c.init.empty(), where, "init_average needs a run in init");
  require(c.group >= 2, where, "group is 1, expected 2 or more: a branch needs others to be compared with");
  require(c.advantage_clip > 0, where, "advantage_clip is 0, expected more");
  require(c.edge_credit <= 1, where, fmt::format("edge_credit is {}, expected a share from 0 to 1", c.edge_credit));
  if (!c.grouped()) return;
  require(!c.polished_ends || (c.edge_credit == 0 && !c.bootstrap), where,
          "polished_ends rewards the ends of branches: expected no edge_credit and no bootstrap");
  require(!c.bootstrap || c.gamma < 1, where, "bootstrap needs a gamma below 1: values would rise without bound");
  require(!c.bootstrap || c.edge_credit < 1, where, "bootstrap has no effect where edge_credit is 1");
  require(c.bootstrap_interval == 0 || (c.bootstrap && c.bootstrap_interval < c.horizon), where,
          fmt::format("bootstrap_interval is {}, expected 0 or, with bootstrap, fewer steps than the horizon's {}",
                      c.bootstrap_interval, c.horizon));
  require(c.bootstrap_share <= 1, where,
          fmt::format("bootstrap_share is {}, expected a share from 0 to 1", c.bootstrap_share));
  require(c.missed_weight <= kMostMissedWeight, where,
          fmt::format("missed_weight is {}, expected 0 to {}", c.missed_weight, kMostMissedWeight));
  require(c.missed_weight == 0 || env::knows_prospects(c.kind()), where,
          fmt::format("missed_weight: exchanges of a {} are not looked for, expected 0", c.problem));
  require(c.missed_weight == 0 || !c.fixed_k, where,
          "missed_weight is for exchanges of two edges, which a policy with fixed_k does not make");
  require(c.missed_weight == 0 || !c.polished_ends, where,
          "missed_weight teaches what local search would do, which polished_ends leaves to it: expected one of them");
  require(c.lookahead < c.horizon, where,
          fmt::format("lookahead is {} of {} steps (horizon): none is left to learn from", c.lookahead, c.horizon));
}

void complete_and_validate_from(TrainConfig& c, const Origin& where) {
  require(parse_problem(c.problem).has_value(), where,
          fmt::format("problem is {}, expected {}", quote_bytes(c.problem), kProblemNames));
  require_positive(c, where);
  require(c.size >= 5 && c.size <= kMostNodes, where, fmt::format("size is {}, expected 5 to {}", c.size, kMostNodes));
  require(c.depots <= kMostNodes, where, fmt::format("depots is {}, expected at most {}", c.depots, kMostNodes));
  for (const int size : c.more_sizes)
    require(size >= 5 && size <= kMostNodes, where,
            fmt::format("more_sizes has {}, expected 5 to {}", size, kMostNodes));
  validate_algorithm(c, where);
  require(c.curriculum > 0, where, "curriculum is 0, expected more");
  require(c.first_epoch < c.epochs, where, "first_epoch is not below epochs");
  require(static_cast<double>(c.epochs) * c.batches_per_epoch < 2e9, where, "epochs * batches_per_epoch is too large");
  require(c.epochs / c.curriculum < 2e9, where, "epochs / curriculum is too large");
  require(c.threads <= search::kMostThreads, where,
          fmt::format("threads is {}, expected 0 to {}", c.threads, search::kMostThreads));
  require(c.rate_decay <= 1, where, fmt::format("rate_decay is {}, expected 0 to 1", c.rate_decay));
  require(c.actor_rate <= 1, where, fmt::format("actor_rate is {}, expected 0 to 1", c.actor_rate));
  require(c.critic_rate <= 1, where, fmt::format("critic_rate is {}, expected 0 to 1", c.critic_rate));
  require(c.gamma <= 1, where, fmt::format("gamma is {}, expected 0 to 1", c.gamma));
  require(c.shaped <= 1, where, fmt::format("shaped is {}, expected a share from 0 to 1", c.shaped));
  require(c.max_moves >= 2 && c.max_moves <= 32, where, fmt::format("max_moves is {}, expected 2 to 32", c.max_moves));
  require(c.precision == "auto" || c.precision == "fp32" || c.precision == "tf32" || c.precision == "fp16", where,
          fmt::format("precision is {}, expected auto, fp32, tf32 or fp16", quote_bytes(c.precision)));
  require(c.device == "auto" || c.device == "cpu" || c.device == "cuda", where,
          fmt::format("device is {}, expected auto, cpu or cuda", quote_bytes(c.device)));
  require(!c.validation_steps.empty(), where, "validation_steps are none, expected some");
  for (const int steps : c.validation_steps) require(steps > 0, where, "validation_steps must be positive");
  std::sort(c.validation_steps.begin(), c.validation_steps.end());
  c.validation_steps.erase(std::unique(c.validation_steps.begin(), c.validation_steps.end()), c.validation_steps.end());
  require_network(c, where);
  complete_problem(c, where);
}

}  // namespace

policy::Architecture TrainConfig::architecture() const {
  policy::Architecture a;
  a.problem = kind();
  a.dim = dim;
  a.heads = heads;
  a.layers = layers;
  a.feed_forward = feed_forward;
  a.max_moves = max_moves;
  a.logit_bound = logit_bound;
  a.exploration_features = exploration_features && traits(kind()).constrained;
  a.violation_features = violation_features || !traits(kind()).constrained;
  a.prospects = prospects;
  a.foresight = foresight;
  a.recurrent = recurrent;
  a.move_stream = move_stream;
  a.edge_stream = edge_stream;
  a.random_start_move = random_start_move;
  a.fixed_k = fixed_k;
  a.masking = masking;
  return a;
}

env::GireParameters TrainConfig::gire() const {
  env::GireParameters gire;
  gire.violation_features = violation_features;
  gire.exploration_features = exploration_features;
  gire.regulation_reward = regulation_reward;
  gire.bonus_reward = bonus_reward;
  gire.alpha = static_cast<float>(alpha);
  gire.beta = static_cast<float>(beta);
  return gire;
}

int TrainConfig::curriculum_steps(int epoch) const { return static_cast<int>(std::floor(epoch / curriculum)); }

TrainConfig TrainConfig::with_size(int other) const {
  TrainConfig config = *this;
  config.more_sizes.clear();
  if (other == size) return config;
  config.size = other;
  config.depots = 0;
  config.capacity = config.epsilon = 0;
  complete_problem(config, {fmt::format("size {}", other), {}, {}});
  return config;
}

std::uint32_t TrainConfig::instance_series() const {
  Checksum checksum;
  checksum.add(fmt::format("{} {} {} {}", problem, size, first_epoch, init));
  return 0x80000000u | static_cast<std::uint32_t>(checksum.value() >> 32);
}

TrainConfig read_train_config(const std::string& path, const std::vector<std::string>& settings) {
  return parse_train_config(read_file(path), path, settings);
}

TrainConfig parse_train_config(const std::string& text, const std::string& where,
                               const std::vector<std::string>& settings) {
  TrainConfig config;
  Origin origin{where, {}, {}};
  for (const SettingLine& setting : parse_settings(text, where)) {
    origin.lines[setting.key] = setting.line;
    set_field(config, setting.key, setting.values, origin.of(setting.key));
  }
  for (const std::string& setting : settings) {
    apply_setting(config, setting);
    origin.commanded.insert(setting.substr(0, setting.find('=')));
  }
  complete_and_validate_from(config, origin);
  return config;
}

void apply_setting(TrainConfig& config, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos)
    throw InputError(fmt::format("setting {}: expected key=value", quote_bytes(setting)));
  set_field(config, setting.substr(0, equals), {setting.substr(equals + 1)}, "setting");
}

void complete_and_validate(TrainConfig& config, const std::string& where) {
  complete_and_validate_from(config, {where, {}, {}});
}

namespace {

/// `key = value` as in a settings file.
template <class Field>
std::string setting_line(const char* key, const Field& field) {
  if constexpr (std::is_same_v<Field, std::string>)
    return fmt::format("{} = {}", key, quoted_setting(field));
  else if constexpr (std::is_same_v<Field, std::vector<int>>)
    return fmt::format("{} = [{}]", key, fmt::join(field, ", "));
  else
    return fmt::format("{} = {}", key, field);
}

}  // namespace

std::string format_train_config(const TrainConfig& config) {
  std::string text;
  visit_settings(config, [&](const char* key, const auto& field, const char*) {
    if constexpr (std::is_same_v<decltype(field), const std::vector<int>&>)
      if (field.empty()) return;
    text += setting_line(key, field) + "\n";
  });
  return text;
}

std::string explain_settings() {
  const TrainConfig defaults;
  std::string text;
  visit_settings(
      defaults,
      [&](const char* key, const auto& field, const char* meaning) {
        text += fmt::format("{:<32} # {}\n", setting_line(key, field), meaning);
      },
      [&](const char* heading) { text += fmt::format("{}# {}\n", text.empty() ? "" : "\n", heading); });
  return text;
}

}  // namespace neuopt::train
