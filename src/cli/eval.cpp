// neuopt eval: a policy's mean cost and gap on a set of instances, or in many runs on one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/progress_line.h"
#include "cli/search_options.h"
#include "cli/stop_signal.h"
#include "core/error.h"
#include "core/file.h"
#include "neuopt.h"

namespace neuopt::cli {
namespace {

constexpr int kDefaultRuns = 10;

struct EvalCommand : CommonOptions {
  std::string set;
  search::EvaluateOptions search;
  int limit = 0;                    // 0: all instances
  int runs = 0;                     // on one instance; 0: kDefaultRuns
  std::optional<double> reference;  // of one instance
  std::string start = "random";
  std::vector<std::string> labels;  // NAME=TEXT
  std::string output;
};

struct Evaluation {
  std::vector<Instance> instances;
  bool runs = false;  // the instances are one and the same
  search::SetResult result;
  std::string model, checksum;
  std::string device;
};

/// The same instance for each run: every run draws the random numbers of its place, so they are independent.
std::vector<Instance> read_runs(const EvalCommand& command, std::string_view bytes, const WarningSink& note) {
  if (command.limit > 0) throw InputError(command.set, 0, "one instance, --limit is for sets; --runs counts its runs");
  Instance instance = parse_instance(bytes, command.set, note);
  instance.reference_cost = command.reference;
  return std::vector(static_cast<std::size_t>(command.runs > 0 ? command.runs : kDefaultRuns), instance);
}

std::vector<Instance> read_set(const EvalCommand& command, std::string bytes) {
  if (command.runs > 0 || command.reference)
    throw InputError(command.set, 0, "a set, --runs and --reference are for one instance (.tsp or .vrp)");
  std::vector<Instance> instances = parse_test_set(std::move(bytes), command.set);
  if (command.limit > 0 && instances.size() > static_cast<std::size_t>(command.limit))
    instances.resize(static_cast<std::size_t>(command.limit));
  if (instances.empty()) throw InputError(command.set, 0, "no instances");
  return instances;
}

std::string progress_text(const search::SetProgress& progress, long steps) {
  return fmt::format("{}/{} instances done, step {}/{}  {:.1f} s  {:.0f} instance-steps/s", progress.instances_done,
                     progress.instances, progress.step, steps, progress.seconds, progress.instance_steps_per_second);
}

Evaluation run(const EvalCommand& command) {
  const WarningSink note = command.quiet ? WarningSink{} : warn_on_stderr();
  search::SetCallbacks callbacks;
  callbacks.stop = stop_on_signals();

  Evaluation evaluation;
  std::string bytes = read_file(command.set);
  evaluation.runs = !looks_like_test_set(bytes) && looks_like_instance(bytes);
  evaluation.instances = evaluation.runs ? read_runs(command, bytes, note) : read_set(command, std::move(bytes));
  search::EvaluateOptions options = command.search;
  apply_no_augment(command, options);
  options.greedy_start = command.start == "greedy";
  const auto backend = search::open_device(command.device, options.threads, note);
  const search::ChosenModel chosen = search::choose_model(command.model, evaluation.instances.front());
  search::note_distance(*chosen.model, evaluation.instances.front(), note);
  evaluation.model = chosen.name;
  evaluation.checksum = chosen.model->checksum;

  ProgressLine line(command.quiet, command.verbose);
  if (line.enabled())
    callbacks.progress = [&](const search::SetProgress& progress) {
      line.show(progress_text(progress, options.steps));
    };
  evaluation.result = search::evaluate_set(evaluation.instances, chosen.model, *backend, options, callbacks);
  evaluation.device = backend->name();
  return evaluation;
}

std::optional<double> percent(const std::optional<double>& share) {
  return share ? std::optional(100 * *share) : std::nullopt;
}

/// The best of the runs; none when none is feasible.
const search::InstanceResult* best_run(const search::SetResult& result) {
  const search::InstanceResult* best = nullptr;
  for (const search::InstanceResult& run : result.instances)
    if (run.feasible && (best == nullptr || run.cost < best->cost)) best = &run;
  return best;
}

/// One JSON object for each instance.
std::string instance_lines(const Evaluation& evaluation) {
  std::string lines;
  for (const search::InstanceResult& done : evaluation.result.instances) {
    nlohmann::ordered_json object;
    object["instance"] = done.index;
    object["cost"] = done.cost;
    object["feasible"] = done.feasible;
    object["reference_cost"] =
        optional_number(evaluation.instances[static_cast<std::size_t>(done.index)].reference_cost);
    object["gap_percent"] = optional_number(percent(done.gap));
    if (!done.curve.empty()) object["curve"] = done.curve;
    lines += object.dump() + "\n";
  }
  return lines;
}

nlohmann::ordered_json to_json(const search::CurvePoint& point) {
  nlohmann::ordered_json object;
  object["step"] = point.step;
  object["mean_cost"] = point.mean_cost;
  object["gap_percent"] = optional_number(percent(point.mean_gap));
  if (point.spread) {
    object["gap_percent_p10"] = 100 * point.spread->tenth;
    object["gap_percent_p50"] = 100 * point.spread->median;
    object["gap_percent_p90"] = 100 * point.spread->nine_tenths;
  }
  return object;
}

nlohmann::ordered_json to_json(const EvalCommand& command, const Evaluation& evaluation) {
  const search::SetResult& result = evaluation.result;
  const Instance& first = evaluation.instances.front();
  const bool any = static_cast<int>(result.instances.size()) > result.infeasible;
  nlohmann::ordered_json object;
  object["file"] = std::filesystem::path(command.set).filename().string();
  object["problem"] = problem_name(first.kind);
  object["size"] = first.customers();
  object["instances"] = evaluation.runs ? 1 : result.instances.size();
  if (evaluation.runs) object["runs"] = result.instances.size();
  object["steps"] = command.search.steps;
  object["augment"] = command.search.copies;
  object["stall"] = command.no_augment ? 0 : command.search.stall_limit;
  object["augment_start"] = !command.no_augment;
  object["start"] = command.start;
  object["mean_cost"] = optional_number(any ? std::optional(result.mean_cost) : std::nullopt);
  object["reference_cost"] = optional_number(result.mean_reference);
  object["gap_percent"] = optional_number(percent(result.mean_gap));
  if (const search::InstanceResult* best = evaluation.runs ? best_run(result) : nullptr) {
    object["best_cost"] = best->cost;
    object["best_gap_percent"] = optional_number(percent(best->gap));
  }
  object["infeasible"] = result.infeasible;
  object["seconds"] = result.seconds;
  object["instance_steps_per_second"] = result.instance_steps_per_second;
  object["device"] = evaluation.device;
  object["seed"] = command.search.seed;
  object["model"] = evaluation.model;
  object["model_checksum"] = evaluation.checksum;
  object["version"] = NEUOPT_VERSION;
  object["interrupted"] = result.stopped;
  for (const std::string& label : command.labels) {
    const std::size_t equals = label.find('=');
    object["labels"][label.substr(0, equals)] = label.substr(equals + 1);
  }
  for (const search::CurvePoint& point : result.curve) object["curve"].push_back(to_json(point));
  return object;
}

std::string gap_text(const std::optional<double>& gap) { return gap ? fmt::format("{:.4f} %", 100 * *gap) : "-"; }

void print_text(const EvalCommand& command, const Evaluation& evaluation) {
  const search::SetResult& result = evaluation.result;
  const Instance& first = evaluation.instances.front();
  fmt::print("{} {}-{}, {} {}, {} steps, {} {}{}\n", command.set, first.kind == ProblemKind::tsp ? "TSP" : "CVRP",
             first.customers(), result.instances.size(), evaluation.runs ? "runs" : "instances", command.search.steps,
             command.search.copies, command.search.copies == 1 ? "copy" : "copies",
             command.no_augment ? ", no augmentation" : "");
  for (const search::CurvePoint& point : result.curve)
    fmt::print("  step {:>7}  mean cost {:.4f}  gap {}\n", point.step, point.mean_cost, gap_text(point.mean_gap));
  fmt::print("mean cost {:.4f}, gap {}", result.mean_cost, gap_text(result.mean_gap));
  if (result.mean_reference) fmt::print(" (mean reference {:.4f})", *result.mean_reference);
  fmt::print(", infeasible {}\n", result.infeasible);
  if (const search::InstanceResult* best = evaluation.runs ? best_run(result) : nullptr)
    fmt::print("best cost {}, gap {}\n", cost_text(best->cost), gap_text(best->gap));
  fmt::print("{:.2f} s, {:.0f} instance-steps/s, model {} on {}, seed {}\n", result.seconds,
             result.instance_steps_per_second, evaluation.model, evaluation.device, command.search.seed);
  if (result.stopped)
    fmt::print("interrupted: {} of {} {} were done\n", result.instances.size(), evaluation.instances.size(),
               evaluation.runs ? "runs" : "instances");
}

int evaluate_file(const EvalCommand& command) {
  if (!command.output.empty()) check_writable(command.output);
  const Evaluation evaluation = run(command);
  if (command.json)
    print_json(to_json(command, evaluation));
  else
    print_text(command, evaluation);
  // After the means are printed, so that they are not lost when the disk is full.
  if (!command.output.empty()) write_file(command.output, instance_lines(evaluation));
  return evaluation.result.infeasible > 0 ? 1 : 0;
}

/// What CLI11 asks of a check: the reason why not, empty when all is well.
std::string is_label(const std::string& text) {
  return text.find('=') == text.npos || text.front() == '=' ? "expected NAME=TEXT, got " + text : "";
}

}  // namespace

void add_eval(CLI::App& program, Job& job) {
  auto options = std::make_shared<EvalCommand>();
  CLI::App* command =
      program.add_subcommand("eval", "Mean cost and gap of a model on a set of instances, or on one in many runs");
  command->add_option("set", options->set, "Set: .npz or a pickled list; or one instance: .tsp or .vrp")->required();
  command->add_option("--steps", options->search.steps, "Search steps of each copy")
      ->check(CLI::Range(0l, 1'000'000'000l))
      ->capture_default_str();
  command->add_option("--limit", options->limit, "Only the first so many instances")->check(CLI::PositiveNumber);
  command->add_option("--runs", options->runs, fmt::format("Independent runs on one instance [{}]", kDefaultRuns))
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--reference", options->reference, "Known cost of one instance")->check(CLI::PositiveNumber);
  command->add_option("--start", options->start, "random (the paper's), or greedy [random]")
      ->check(CLI::IsMember({"random", "greedy"}));
  command->add_option("--curve", options->search.curve, "Steps at which the means are reported, e.g. 100,300,1000")
      ->delimiter(',');
  command->add_option("--output", options->output, "Write the result of each instance as JSON lines");
  command
      ->add_option("--label", options->labels,
                   "NAME=TEXT to keep with the result, e.g. machine=laptop; may be given several times")
      ->check(is_label);
  add_search_options(*command, *options, options->search);
  command->footer(
      "The paper's \"D2A=1\" is one copy with dynamic augmentation: --augment 1, as here by default. Its \"D2A=5\" is\n"
      "--augment 5. Results without any augmentation: --augment 1 --no-augment.");
  command->callback([options, &job] { job = [options] { return evaluate_file(*options); }; });
}

}  // namespace neuopt::cli
