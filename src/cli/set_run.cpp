#include "cli/set_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/console.h"
#include "cli/progress_line.h"
#include "cli/schedule_json.h"
#include "cli/stop_signal.h"

namespace neuopt::cli {
namespace {

std::string progress_text(const Progress& progress, const SolveOptions& options) {
  std::string step = fmt::format("step {}", progress.step);
  if (options.steps) step += fmt::format("/{}", *options.steps);
  return fmt::format("{}/{} instances done, {}  {:.1f} s  {:.0f} instance-steps/s", progress.instances_done,
                     progress.instances, step, progress.seconds, progress.steps_per_second);
}

/// Adds a name to a list of them, once.
void add_name(std::string& list, const std::string& name) {
  if (name.empty() || (", " + list + ", ").find(", " + name + ", ") != std::string::npos) return;
  list += (list.empty() ? "" : ", ") + name;
}

std::pair<int, int> sizes(const std::vector<Instance>& instances) {
  const auto [smallest, largest] = std::minmax_element(
      instances.begin(), instances.end(), [](const auto& a, const auto& b) { return a.customers() < b.customers(); });
  return {smallest->customers(), largest->customers()};
}

}  // namespace

SetRun run_set(std::vector<Instance> instances, const CommonOptions& common, const SolveOptions& options,
               bool keep_unfinished, const std::function<void(const Instance&, const SolveResult&)>& finished) {
  SetRun run;
  run.instances = std::move(instances);
  SolveCallbacks callbacks;
  callbacks.stop = stop_on_signals();
  if (finished)
    callbacks.finished = [&](const SolveResult& result) {
      finished(run.instances[static_cast<std::size_t>(result.instance)], result);
    };
  callbacks.note = common.quiet ? WarningSink{} : warn_on_stderr();
  ProgressLine line(common.quiet, common.verbose);
  if (line.enabled())
    callbacks.progress = [&](const Progress& progress) { line.show(progress_text(progress, options)); };

  Solver solver = open_solver(common, run.instances.front().kind, callbacks.note);
  if (options.use_policy)
    for (const Instance& instance : run.instances) solver.model_for(instance, options);  // loaded before the clock runs
  const double begin = process_seconds();
  run.results = solver.solve(run.instances, options, callbacks);
  run.seconds = process_seconds() - begin;
  run.device = solver.device();  // with what is known after the run
  const auto unfinished = [](const SolveResult& result) { return result.stopped_by == StopReason::interrupt; };
  run.interrupted =
      run.results.size() < run.instances.size() || std::any_of(run.results.begin(), run.results.end(), unfinished);
  if (!keep_unfinished) std::erase_if(run.results, unfinished);
  summarize_run(run, options);
  return run;
}

void summarize_run(SetRun& run, const SolveOptions& options) {
  for (const SolveResult& result : run.results) {
    add_name(run.model, result.model);
    add_name(run.checksum, result.checksum);
    if (!result.device.empty()) run.device = result.device;
  }
  run.summary = search::summarize(run.instances, run.results, options.curve);
}

std::string set_name(const std::vector<std::string>& paths) {
  std::filesystem::path first(paths.front());
  if (!first.has_filename()) first = first.parent_path();  // "folder/"
  const std::string name = first.filename().string();
  return paths.size() == 1 ? name : fmt::format("{} and {} more", name, paths.size() - 1);
}

std::string size_text(const std::vector<Instance>& instances) {
  const char* label = traits(instances.front().kind).label;
  const auto [smallest, largest] = sizes(instances);
  if (smallest == largest) return fmt::format("{}-{}", label, smallest);
  return fmt::format("{0}-{1} to {0}-{2}", label, smallest, largest);
}

nlohmann::ordered_json summary_json(const std::string& name, const SetRun& run, const SolveOptions& options) {
  const auto [smallest, largest] = sizes(run.instances);
  nlohmann::ordered_json object;
  object["file"] = name;
  object["problem"] = problem_name(run.instances.front().kind);
  object["size"] = smallest;
  if (largest != smallest) object["largest_size"] = largest;
  put_rounding(object, run.instances);
  object["instances"] = run.results.size();
  object["steps"] = options.steps ? nlohmann::ordered_json(*options.steps) : nlohmann::ordered_json();
  object["augment"] = options.copies;
  object["stall"] = options.stall_limit;
  object["augment_start"] = options.augment_start;
  object["policy"] = options.use_policy ? "model" : "none";
  object["start"] = search::start_name(options.start);
  object["polish"] = polish_json(options);
  object["restart"] = options.restart;
  object["mean_cost"] = optional_number(run.summary.mean_cost);
  object["reference_cost"] = optional_number(run.summary.mean_reference);
  object["gap_percent"] = optional_number(percent(run.summary.mean_gap));
  object["infeasible"] = run.summary.infeasible;
  object["seconds"] = run.seconds;
  object["instance_steps_per_second"] = run.summary.steps / std::max(run.seconds, 1e-9);
  object["device"] = run.device;
  object["seed"] = options.seed;
  object["model"] = run.model;
  object["model_checksum"] = run.checksum;
  object["version"] = NEUOPT_VERSION;
  object["interrupted"] = run.interrupted;
  return object;
}

std::string means_text(const SetRun& run) {
  std::string text =
      fmt::format("mean cost {}, gap {}", mean_text(run.summary.mean_cost), gap_text(run.summary.mean_gap));
  if (run.summary.mean_reference) text += fmt::format(" (mean reference {:.4f})", *run.summary.mean_reference);
  return text + fmt::format(", infeasible {}\n", run.summary.infeasible);
}

std::string speed_text(const SetRun& run, const SolveOptions& options) {
  const std::string model = run.model.empty() ? "" : "model " + run.model + " ";  // tiny instances need none
  return fmt::format("{:.2f} s, {:.0f} instance-steps/s, {}on {}, seed {}\n", run.seconds,
                     run.summary.steps / std::max(run.seconds, 1e-9), model, run.device, options.seed);
}

std::string mean_text(const std::optional<double>& mean) { return mean ? fmt::format("{:.4f}", *mean) : "-"; }

std::string gap_text(const std::optional<double>& gap) { return gap ? fmt::format("{:.4f} %", 100 * *gap) : "-"; }

std::optional<double> percent(const std::optional<double>& share) {
  return share ? std::optional(100 * *share) : std::nullopt;
}

}  // namespace neuopt::cli
