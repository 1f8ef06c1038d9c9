// neuopt eval: a policy's mean cost and gap on a set of instances, or in many runs on one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/ranks.h"
#include "cli/run_identity.h"
#include "cli/set_run.h"
#include "cli/word_options.h"
#include "core/file.h"

namespace neuopt::cli {
namespace {

constexpr int kDefaultRuns = 10;

struct EvalCommand : CommonOptions {
  EvalCommand() {
    search = search::paper_protocol();
    search.copies = 1;
    start = search::start_name(search.start);
  }

  std::vector<std::string> paths;
  SolveOptions search;
  std::size_t limit = 0;            // 0: all instances
  int runs = 0;                     // on one instance; 0: kDefaultRuns
  std::optional<double> reference;  // of one instance
  std::vector<std::string> labels;  // NAME=TEXT
  std::string output;
  bool resume = false;  // the output
};

struct Evaluation : SetRun {
  SolveOptions options;
  bool runs = false;  // the instances are one and the same
};

/// For one file the same instance for each run: every run draws the random numbers of its place, so they are
/// independent.
std::vector<Instance> read(const EvalCommand& command, bool& runs) {
  const WarningSink note = command.quiet ? WarningSink{} : warn_on_stderr();
  InstanceSet set = read_instances(command.paths, command.limit, note, command.overrides);
  runs = !set.is_set;
  const std::string& path = command.paths.front();
  if (!runs) {
    if (command.runs > 0 || command.reference)
      throw InputError(path, 0, "a set, --runs and --reference are for one instance (.tsp, .vrp or .txt)");
    return std::move(set.instances);
  }
  if (command.limit > 0) throw InputError(path, 0, "one instance, --limit is for sets; --runs counts its runs");
  set.instances[0].reference_cost = command.reference;
  return std::vector(static_cast<std::size_t>(command.runs > 0 ? command.runs : kDefaultRuns), set.instances[0]);
}

/// One JSON object for each instance.
std::string to_line(const Instance& instance, const SolveResult& done) {
  nlohmann::ordered_json object;
  object["instance"] = done.instance;
  object["cost"] = done.cost;
  object["feasible"] = done.feasible;
  object["reference_cost"] = optional_number(instance.reference_cost);
  object["gap_percent"] = optional_number(percent(done.gap));
  if (!done.curve.empty()) object["curve"] = done.curve;
  return object.dump() + "\n";
}

/// On this process alone, or together with others: then nothing on all but one of them.
std::optional<SetRun> run_somewhere(const EvalCommand& command, const SolveOptions& options,
                                    std::vector<Instance> instances) {
  if (run_on_ranks != nullptr) {
    return run_on_ranks({.command = "eval",
                         .paths = command.paths,
                         .instances = std::move(instances),
                         .common = command,
                         .options = options,
                         .time_limit = {},
                         .output = command.output,
                         .resume = command.resume,
                         .line = to_line});
  }
  if (command.resume) refuse_resume_alone();
  refuse_unfinished(command.output);
  return run_set(std::move(instances), command, options, false);
}

std::optional<Evaluation> run(const EvalCommand& command) {
  Evaluation evaluation;
  SolveOptions& options = evaluation.options;
  options = command.search;
  apply_common(command, options);
  std::sort(options.curve.begin(), options.curve.end());
  options.curve.erase(std::unique(options.curve.begin(), options.curve.end()), options.curve.end());
  if (!options.curve.empty() && options.curve.back() < *options.steps) options.curve.push_back(*options.steps);
  if (!options.curve.empty() && options.by_parts != false)
    throw InputError(
        "--curve: a search by parts goes in rounds, which are no steps; expected --by-parts no, the default");
  std::vector<Instance> instances = read(command, evaluation.runs);
  std::optional<SetRun> run = run_somewhere(command, options, std::move(instances));
  if (!run) return std::nullopt;
  static_cast<SetRun&>(evaluation) = std::move(*run);
  return evaluation;
}

/// The best of the runs; none when none is feasible.
const SolveResult* best_run(const Evaluation& evaluation) {
  const SolveResult* best = nullptr;
  for (const SolveResult& run : evaluation.results)
    if (evaluation.runs && run.feasible && (best == nullptr || run.cost < best->cost)) best = &run;
  return best;
}

nlohmann::ordered_json to_json(const search::CurvePoint& point) {
  nlohmann::ordered_json object;
  object["step"] = point.step;
  object["mean_cost"] = optional_number(point.mean_cost);
  object["gap_percent"] = optional_number(percent(point.mean_gap));
  if (point.spread) {
    object["gap_percent_p10"] = 100 * point.spread->tenth;
    object["gap_percent_p50"] = 100 * point.spread->median;
    object["gap_percent_p90"] = 100 * point.spread->nine_tenths;
  }
  return object;
}

nlohmann::ordered_json to_json(const EvalCommand& command, const Evaluation& evaluation) {
  nlohmann::ordered_json object = summary_json(set_name(command.paths), evaluation, evaluation.options);
  if (evaluation.runs) {
    object["instances"] = 1;
    object["runs"] = evaluation.results.size();
  }
  if (const SolveResult* best = best_run(evaluation)) {
    object["best_cost"] = best->cost;
    object["best_gap_percent"] = optional_number(percent(best->gap));
  }
  for (const std::string& label : command.labels) {
    const std::size_t equals = label.find('=');
    object["labels"][label.substr(0, equals)] = label.substr(equals + 1);
  }
  for (const search::CurvePoint& point : evaluation.summary.curve) object["curve"].push_back(to_json(point));
  return object;
}

std::string summary_text(const EvalCommand& command, const Evaluation& evaluation) {
  const char* noun = evaluation.runs ? "runs" : "instances";
  const SolveOptions& options = evaluation.options;
  const std::string name = command.paths.size() == 1 ? command.paths.front() : set_name(command.paths);
  std::string text =
      fmt::format("{} {}, {} {}, {} steps, {} {}{}\n", name, size_text(evaluation.instances), evaluation.results.size(),
                  noun, *options.steps, options.copies, options.copies == 1 ? "copy" : "copies",
                  command.no_augment ? ", no augmentation" : "");
  for (const search::CurvePoint& point : evaluation.summary.curve)
    text += fmt::format("  step {:>7}  mean cost {}  gap {}\n", point.step, mean_text(point.mean_cost),
                        gap_text(point.mean_gap));
  text += means_text(evaluation);
  if (const SolveResult* best = best_run(evaluation))
    text += fmt::format("best cost {}, gap {}\n", cost_text(best->cost), gap_text(best->gap));
  text += speed_text(evaluation, options);
  if (evaluation.interrupted)
    text += fmt::format("interrupted: {} of {} {} were done\n", evaluation.results.size(), evaluation.instances.size(),
                        noun);
  return text;
}

void write_lines(const std::string& path, const Evaluation& evaluation) {
  std::string lines;
  for (const SolveResult& done : evaluation.results)
    lines += to_line(evaluation.instances[static_cast<std::size_t>(done.instance)], done);
  forget_identity(path);
  write_file(path, lines);
}

int evaluate_file(const EvalCommand& command) {
  refuse_two_on_standard_output(command.json, "--output", command.output);
  guard_search(command.paths, command).writes(command.output, "--output");
  if (!command.output.empty()) check_writable(command.output);
  const std::optional<Evaluation> evaluation = run(command);
  if (!evaluation) return 0;  // another rank has the word
  if (command.json)
    print_json(to_json(command, *evaluation));
  else if (command.output != kStandardOutput)
    fmt::print("{}", summary_text(command, *evaluation));
  else if (!command.quiet)
    say(summary_text(command, *evaluation));
  // After the means are printed, so that they are not lost when the disk is full.
  if (run_on_ranks == nullptr && !command.output.empty()) write_lines(command.output, *evaluation);
  return evaluation->summary.infeasible > 0 ? 1 : 0;
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
  command
      ->add_option(
          "set", options->paths,
          "Set: .npz, a pickled list, a folder or several files; or one instance: .tsp, .vrp or Solomon's .txt")
      ->required();
  command->add_option("--steps", options->search.steps, "Search steps of each copy [1000]")->transform(whole_number(0));
  command->add_option("--limit", options->limit, "Only the first so many instances")->transform(whole_number(1));
  command->add_option("--runs", options->runs, fmt::format("Independent runs on one instance [{}]", kDefaultRuns))
      ->transform(whole_number(1, 1'000'000));
  command->add_option("--reference", options->reference, "Known cost of one instance")->check(number_above_zero());
  command->add_option("--curve", options->search.curve, "Steps at which the means are reported, e.g. 100,300,1000")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(whole_number(0));
  add_output_option(*command, options->output, "Write the result of each instance as JSON lines");
  add_resume_option(*command, options->resume);
  command
      ->add_option("--label", options->labels,
                   "NAME=TEXT to keep with the result, e.g. machine=laptop; may be given several times")
      ->allow_extra_args(false)
      ->check(is_label);
  add_search_options(*command, *options, options->search);
  command->footer(
      "The paper's \"D2A=1\" is one copy with dynamic augmentation: --augment 1, as here by default. Its \"D2A=5\" is\n"
      "--augment 5. Results without any augmentation: --augment 1 --no-augment.");
  command->callback([options, &job] { job = on_ranks([options] { return evaluate_file(*options); }); });
}

}  // namespace neuopt::cli
