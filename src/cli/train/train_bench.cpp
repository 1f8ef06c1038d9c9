// neuopt bench train: milliseconds per search step of training, and the share of each phase.
// neuopt bench noise: what is signal and what is noise in the gradients of group rollouts.
#include "cli/train_bench.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/file_guard.h"
#include "cli/number_check.h"
#include "cli/word_options.h"
#include "core/file.h"
#include "train/bench.h"
#include "train/noise_bench.h"

namespace neuopt::cli {
namespace {

struct TrainBenchOptions {
  std::vector<std::string> configs;
  std::vector<std::string> settings;
  int batches = 1;
  int steps = 1'000'000;
  bool json = false;
};

void print_result(const std::string& config, const train::TrainBenchResult& result) {
  fmt::print("{} on {}: {:.2f} ms per search step", config, result.device, result.milliseconds_per_step);
  if (result.peak_memory_mib > 0) fmt::print(", at most {:.0f} MiB", result.peak_memory_mib);
  fmt::print("\n");
  for (const auto& [phase, milliseconds] : result.phases)
    fmt::print("  {:<16} {:>9.3f} ms {:>5.1f}%\n", phase, milliseconds,
               100 * milliseconds / result.milliseconds_per_step);
}

nlohmann::ordered_json to_json(const std::string& config, const train::TrainBenchResult& result) {
  nlohmann::ordered_json object{{"config", config},
                                {"device", result.device},
                                {"milliseconds_per_step", result.milliseconds_per_step},
                                {"peak_memory_mib", result.peak_memory_mib}};
  for (const auto& [phase, milliseconds] : result.phases) object["phases"][phase] = milliseconds;
  return object;
}

int run_bench(const TrainBenchOptions& options) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& path : options.configs) {
    const train::TrainConfig config = train::read_train_config(path, options.settings);
    const train::TrainBenchResult result = train::bench_training(config, options.batches, options.steps);
    if (options.json)
      all.push_back(to_json(path, result));
    else
      print_result(path, result);
  }
  if (options.json) print_json({{"training", all}});
  return 0;
}

struct NoiseCommandOptions {
  std::string config;
  std::string model;
  std::vector<std::string> settings;
  train::NoiseBenchOptions bench;
  bool json = false;
};

nlohmann::ordered_json to_json(const train::Measured& figure) {
  return {{"value", figure.value}, {"error", figure.error}};
}

nlohmann::ordered_json to_json(const train::TrainConfig& config, const train::NoiseBenchResult& result) {
  nlohmann::ordered_json object{
      {"problem", config.problem}, {"size", config.size},     {"device", result.device},
      {"depth", result.depth},     {"depths", config.depths}, {"rollouts", result.rollouts},
      {"batch", config.batch},     {"group", config.group},   {"horizon", config.horizon},
      {"gamma", config.gamma},     {"rows", config.rows},     {"minibatches", config.minibatches}};
  object["signal"] = to_json(result.figures.signal);
  object["rollout_noise"] = to_json(result.figures.rollout);
  object["row_noise"] = to_json(result.figures.minibatches.front().rows);
  object["seconds"] = {{"warm_up", result.warm_up_seconds},
                       {"rollout", result.rollout_seconds},
                       {"minibatch", result.minibatch_seconds}};
  for (const train::MinibatchChoice& choice : result.choices)
    object["choices"].push_back({{"minibatches", choice.minibatches},
                                 {"measured", choice.measured},
                                 {"noise", to_json(choice.noise)},
                                 {"seconds", choice.seconds},
                                 {"noise_after_second", choice.noise_after_second},
                                 {"signal_to_noise_after_second", choice.merit}});
  object["best_minibatches"] = result.choices[result.best].minibatches;
  if (result.alignment)
    object["toward"] = {{"cosine", to_json(result.alignment->cosine)},
                        {"along", to_json(result.alignment->along)},
                        {"signal_to_noise_after_second", result.merit_toward}};
  return object;
}

void print_result(const train::TrainConfig& config, const train::NoiseBenchResult& result) {
  fmt::print("{}-{} on {}, depth {}: {} rollouts of {} x {} branches and {} steps, twice {} minibatches of {} rows\n",
             config.problem, config.size, result.device, result.depth, result.rollouts, config.batch, config.group,
             config.horizon, config.minibatches, config.rows);
  fmt::print("{:<36} {:>11} {:>11}\n", "squared norms", "", "error");
  const auto figure = [](const char* name, const train::Measured& measured) {
    fmt::print("  {:<34} {:>11.4g} {:>11.2g}\n", name, measured.value, measured.error);
  };
  figure("mean gradient", result.figures.signal);
  figure("noise of the rollout", result.figures.rollout);
  figure("noise of the rows of a minibatch", result.figures.minibatches.front().rows);
  fmt::print("milliseconds: {:.2f} before a rollout, {:.2f} for it, {:.2f} for each minibatch\n",
             1000 * result.warm_up_seconds, 1000 * result.rollout_seconds, 1000 * result.minibatch_seconds);
  fmt::print("{:<12} {:>11} {:>11} {:>11} {:>14} {:>14}\n", "minibatches", "noise", "error", "seconds",
             "noise after 1s", "signal to that");
  for (const train::MinibatchChoice& choice : result.choices)
    fmt::print("{:<12} {:>11.4g} {:>11.2g} {:>11.4g} {:>14.4g} {:>14.4g}{}\n",
               fmt::format("{}{}", choice.minibatches, choice.measured ? "" : " at most"), choice.noise.value,
               choice.noise.error, choice.seconds, choice.noise_after_second, choice.merit,
               &choice == &result.choices[result.best] ? "  best" : "");
  if (!result.alignment) return;
  const train::Measured cosine = result.alignment->cosine;
  fmt::print("cosine to the other mean gradient: {:.3f} +- {:.3f}\n", cosine.value, cosine.error);
  fmt::print("signal along it, squared, to the best noise after 1s: {:.4g}\n", result.merit_toward);
}

int run_noise(NoiseCommandOptions options) {
  if (!options.model.empty()) options.settings.push_back("init=" + options.model);
  const train::TrainConfig config = train::read_train_config(options.config, options.settings);
  FileGuard guard;
  guard.reads(options.config, "the settings");
  guard.reads(config.init, "the model");
  guard.reads(config.validation, "the validation set");
  guard.reads(options.bench.toward, "--toward");
  guard.writes(options.bench.save, "--save");
  if (!options.bench.save.empty()) check_writable(options.bench.save);
  const train::NoiseBenchResult result =
      train::bench_noise(config, options.bench, [](const std::string& text) { say(text + "\n"); });
  if (options.json)
    print_json({{"noise", to_json(config, result)}});
  else
    print_result(config, result);
  return 0;
}

void add_settings_option(CLI::App& command, std::vector<std::string>& settings) {
  command.add_option("--set", settings, "Change a setting: key=value")->allow_extra_args(false);
}

void add_bench_train(CLI::App& bench, Job& job) {
  auto options = std::make_shared<TrainBenchOptions>();
  CLI::App* command = bench.add_subcommand("train", kBenchTrainHelp);
  command->add_option("configs", options->configs, "Settings: TOML files")->required();
  add_settings_option(*command, options->settings);
  command->add_option("--batches", options->batches, "Batches to measure [1]")->transform(whole_number(1));
  command->add_option("--steps", options->steps, "Search steps of a batch at most [all]")->transform(whole_number(1));
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &job] { job = [options] { return run_bench(*options); }; });
}

void add_bench_noise(CLI::App& bench, Job& job) {
  auto options = std::make_shared<NoiseCommandOptions>();
  CLI::App* command = bench.add_subcommand("noise", kBenchNoiseHelp);
  command->add_option("config", options->config, "Settings: a TOML file")->required();
  command->add_option("--model", options->model, "Model or run folder, as --set init=MODEL [that of the settings]")
      ->check(any_name);
  add_settings_option(*command, options->settings);
  command->add_option("--rollouts", options->bench.rollouts, "Rollouts to measure [16]")
      ->transform(whole_number(3, 10000));
  command->add_option("--depth", options->bench.depth, "Search steps before a rollout [first_epoch / curriculum]")
      ->transform(whole_number(0, 1'000'000));
  command->add_option("--save", options->bench.save, "File for the gradients of the rollouts, for --toward");
  command->add_option("--toward", options->bench.toward,
                      "Gradients of other settings, as --save wrote them: tell how far these point the same way");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &job] { job = [options] { return run_noise(*options); }; });
}

}  // namespace

void add_trainer_benches(CLI::App& bench, Job& job) {
  add_bench_train(bench, job);
  add_bench_noise(bench, job);
}

}  // namespace neuopt::cli
