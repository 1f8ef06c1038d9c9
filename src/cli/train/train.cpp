// neuopt train: learns a policy from a file of settings, or continues a run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_guard.h"
#include "cli/gpu_choice.h"
#include "cli/launch.h"
#include "cli/number_check.h"
#include "cli/stop_signal.h"
#include "cli/team.h"
#include "cli/word_options.h"
#include "core/error.h"
#include "core/text.h"
#include "train/config.h"
#include "train/run_folder.h"
#include "train/trainer.h"

namespace neuopt::cli {
namespace {

struct TrainOptions {
  std::string config;
  std::string resume;
  std::string run;
  double minutes = 0;
  double total_minutes = 0;
  std::string device;
  std::string exchange = "auto";
  std::vector<std::string> settings;
  bool list_settings = false;
  bool quiet = false;
};

std::string duration(double seconds) {
  const auto minutes = static_cast<long>(seconds / 60 + 0.5);
  return minutes < 60 ? fmt::format("{} min", minutes) : fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

void print_batch(const train::BatchReport& r, bool with_size) {
  std::string line = fmt::format("batch {}/{}  cost {:.4f} -> {:.4f}  {:.1f} ms/step  entropy {:.2f}  left {}", r.batch,
                                 r.total_batches, r.initial_cost, r.final_cost, r.milliseconds_per_step, r.entropy,
                                 duration(r.seconds_left));
  if (r.group)
    line += fmt::format("  improved {:.1f}% of branches, {:.1f}% of groups", 100 * r.group->improved_branches,
                        100 * r.group->improved_groups);
  if (with_size) line += fmt::format("  size {}", r.size);
  if (r.skipped > 0) line += fmt::format("  skipped {}", r.skipped);
  fmt::print(stderr, "{}\n", line);
}

std::string points_text(const std::vector<train::ValidationPoint>& points) {
  std::string text;
  for (const train::ValidationPoint& point : points) {
    text += fmt::format("  {:.4f} @{}", point.mean_cost, point.steps);
    if (point.gap_percent) text += fmt::format(" (gap {:.2f}%)", *point.gap_percent);
  }
  return text;
}

void print_validation(const train::ValidationReport& report) {
  std::string line = fmt::format("validation after batch {} ({} instances):{}", report.batch, report.instances,
                                 points_text(report.points));
  if (!report.average.empty()) line += "  average:" + points_text(report.average);
  fmt::print(stderr, "{}  {:.1f} s\n", line, report.seconds);
}

train::TrainConfig load_config(const TrainOptions& options) {
  if (options.config.empty() == options.resume.empty())
    throw InputError("expected either a file of settings or --resume RUN");
  for (const std::string& setting : options.settings)
    if (!options.resume.empty() && (setting.starts_with("init=") || setting.starts_with("init_average=")))
      throw InputError(fmt::format("--set {}: a run that is resumed has begun already, expected a new one", setting));
  std::vector<std::string> settings = options.settings;
  if (!options.device.empty()) settings.push_back("device=" + options.device);
  return train::read_train_config(
      options.resume.empty() ? options.config : train::RunFolder(options.resume).config_file(), settings);
}

/// A run must not write over what it starts from.
void check_files(const TrainOptions& options, const train::TrainConfig& config, const train::RunFolder& run) {
  FileGuard guard;
  guard.reads(options.config, "the settings");
  guard.reads(config.init, "the model of init");
  guard.reads(config.validation, "the set of validation");
  for (const std::string& file :
       {run.config_file(), run.log_file(), run.model_file(), run.average_file(), run.best_model_file()})
    guard.writes(file, "the run");
}

int run_training(const TrainOptions& options, std::shared_ptr<train::Team> team) {
  const train::TrainConfig config = load_config(options);
  train::RunOptions run;
  run.resume = !options.resume.empty();
  run.folder = run.resume ? options.resume : options.run;
  if (run.folder.empty()) run.folder = fmt::format("runs/{}", std::filesystem::path(options.config).stem().string());
  check_files(options, config, train::RunFolder(run.folder));
  run.minutes = options.minutes;
  run.total_minutes = options.total_minutes;
  run.team = team;
  run.seconds_spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - process_start()).count();
  const std::atomic<bool>* stop = stop_on_signals(
      options.quiet ? nullptr
                    : "stopping after this rollout; another interrupt loses what came after the last checkpoint\n");
  run.stop_requested = [stop] { return stop->load(); };
  train::RunObserver observer;
  if (!options.quiet) {
    observer.batch = [&](const train::BatchReport& report) { print_batch(report, !config.more_sizes.empty()); };
    observer.validation = print_validation;
    observer.message = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  }
  const train::RunResult result = train::train(config, run, observer);
  if (!team->leads()) return 0;
  fmt::print("{} after {} batches: {}\n", result.finished ? "finished" : "stopped", result.batches_done, result.model);
  if (!result.finished) fmt::print(stderr, "continue with: neuopt train --resume {}\n", shell_word(run.folder));
  return 0;
}

}  // namespace

void add_train(CLI::App& program, Job& job) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = program.add_subcommand("train", "Learn a policy");
  CLI::Option* config = command->add_option("config", options->config, "Settings: a TOML file, see configs/");
  CLI::Option* resume =
      command->add_option("--resume", options->resume, "Continue the run in this folder from its newest checkpoint")
          ->check(any_name);
  command->add_option("--run", options->run, "Folder of the run [runs/NAME of the settings]")
      ->excludes("--resume")
      ->check(any_name);
  command->add_option("--minutes", options->minutes, "Stop after this time with a checkpoint")
      ->check(number_above_zero(1e7));
  command
      ->add_option("--total-minutes", options->total_minutes,
                   "Stop when all calls that worked on the run have taken this time")
      ->check(number_above_zero(1e7));
  command->add_option("--device", options->device, "auto, cpu, cuda, or cuda:N for the N-th GPU, from 0")
      ->check(check_trainer);
  command
      ->add_option("--exchange", options->exchange, "How the ranks of mpirun add up gradients: auto, nccl, gloo, mpi")
      ->check(CLI::IsMember({"auto", "nccl", "gloo", "mpi"}));
  CLI::Option* set =
      command->add_option("--set", options->settings, "Change a setting: key=value")->allow_extra_args(false);
  command
      ->add_flag("--list-settings", options->list_settings,
                 "Print every setting with its default and its meaning, as a file of settings")
      ->excludes(config)
      ->excludes(resume)
      ->excludes(set);
  command->add_flag("--quiet", options->quiet, "Print the result only");
  command->callback([options, &job] {
    job = [options] {
      if (options->list_settings) {
        if (speaks_for_launch()) fmt::print("{}", train::explain_settings());
        return 0;
      }
      options->device = choose_gpu(options->device);
      const auto run = [&](std::shared_ptr<train::Team> team) { return run_training(*options, std::move(team)); };
      return train_together(options->exchange, run);
    };
  });
}

}  // namespace neuopt::cli
