// neuopt bench train: milliseconds per search step of training, and the share of each phase.
#include "cli/train_bench.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/number_check.h"
#include "train/bench.h"

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

}  // namespace

void add_bench(CLI::App& program, Job& job) {
  CLI::App* command = program.add_subcommand("bench", "Measures the speed of training");
  command->require_subcommand(1);
  add_bench_train(*command, job);
}

void add_bench_train(CLI::App& bench, Job& job) {
  auto options = std::make_shared<TrainBenchOptions>();
  CLI::App* command = bench.add_subcommand("train", "Training: milliseconds for each search step, and where they go");
  command->add_option("configs", options->configs, "Settings: TOML files")->required();
  command->add_option("--set", options->settings, "Change a setting: key=value")->allow_extra_args(false);
  command->add_option("--batches", options->batches, "Batches to measure [1]")->check(whole_number(1));
  command->add_option("--steps", options->steps, "Search steps of a batch at most [all]")->check(whole_number(1));
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &job] { job = [options] { return run_bench(*options); }; });
}

}  // namespace neuopt::cli
