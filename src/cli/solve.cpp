// neuopt solve: a file in, a verified solution out.
//
// The way of the data: 1. the file becomes an Instance (io/instance_set.h), 2. a Solver opens the device and chooses
// the model (search/solver.cpp), 3. copies of the instance are searched (search/search.cpp) in sessions of the backend
// (search/wave.cpp), 4. the verified solution becomes files and a report. A set goes the same way in solve_set.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/number_check.h"
#include "cli/picture_file.h"
#include "cli/progress_line.h"
#include "cli/ranks.h"
#include "cli/run_identity.h"
#include "cli/schedule_json.h"
#include "cli/solve_command.h"
#include "cli/stop_signal.h"
#include "cli/word_options.h"
#include "core/error.h"
#include "core/file.h"
#include "neuopt.h"
#include "problem/verify.h"
#include "search/search_log.h"

namespace neuopt::cli {
namespace {

std::string progress_text(const Progress& progress, const SolveOptions& options, ProblemKind kind) {
  std::string text = fmt::format("step {}", progress.step);
  if (options.steps) text += fmt::format("/{}", *options.steps);
  text += fmt::format("  best {:.6g}  {:.1f} s", progress.best_cost, progress.seconds);
  if (progress.round > 0)
    text += fmt::format("  round {}, {} parts, {:.0f} % better", progress.round, progress.parts,
                        100 * progress.improved_share);
  if (traits(kind).constrained) text += fmt::format("  feasible {:.0f} %", 100 * progress.feasible_share);
  return text + fmt::format("  {:.0f} steps/s", progress.steps_per_second);
}

/// The answer with all that is said about it.
struct Answer {
  Instance instance;
  SolveResult result;
  double seconds = 0;            // since the program began
  std::exception_ptr unwritten;  // why a file could not be written: known only once the answer is printed
};

/// Writes a file. When that fails the answer must not be lost with it: the reason waits until the answer is printed.
void attempt(Answer& answer, const std::function<void()>& write) {
  try {
    write();
  } catch (...) {
    if (!answer.unwritten) answer.unwritten = std::current_exception();
  }
}

/// Before the search rather than after it: can its files be written, and without harm to what it reads? The solution
/// it starts from may be replaced by a better one.
void check_files(const SolveCommand& command) {
  FileGuard guard = guard_search(command.files, command);
  guard.writes(command.output, "--output");
  guard.reads(command.initial, "the solution of --initial");
  guard.writes(command.svg, "--svg");
  guard.writes(command.trace, "--trace");
  refuse_unfinished(command.output);
  refuse_foreign_ending(command.output, {".json"}, ".sol or .tour; --svg writes pictures");
  if (!command.output.empty()) check_writable(command.output);
  if (!command.svg.empty()) check_picture_path(command.svg);
  if (!command.trace.empty()) check_writable(command.trace);
}

/// It may be overloaded, late or have too many routes: the search mends that.
Solution read_initial(const std::string& path, const Instance& instance, const WarningSink& note) {
  Solution solution = read_solution_file(path, instance, note).solution;
  if (const std::string reason = incompleteness(instance, solution); !reason.empty())
    throw InputError(path, 0, reason + ": no solution to start from");
  return solution;
}

Answer run(const SolveCommand& command, Instance read, const WarningSink& note) {
  Answer answer;
  answer.instance = std::move(read);
  const Instance& instance = answer.instance;
  SolveOptions options = solver_options(command);
  if (!command.initial.empty()) options.initial = read_initial(command.initial, instance, note);
  SolveCallbacks callbacks;
  callbacks.stop = stop_on_signals();  // all is read: from now on an interrupt is answered with a solution
  Solver solver = open_solver(command, instance.kind, note);
  callbacks.note = note;
  ProgressLine line(command.quiet, command.verbose);
  if (line.enabled())
    callbacks.progress = [&](const Progress& progress) { line.show(progress_text(progress, options, instance.kind)); };
  std::optional<search::SearchLogWriter> trace;
  if (!command.trace.empty()) {
    trace.emplace(
        command.trace, instance, options,
        search::SearchLogInfo{solver.model_for(instance, options).name, solver.device(), command.trace_tours});
    callbacks.observer = &*trace;
  }
  answer.result = solver.solve(instance, options, callbacks);
  if (trace) attempt(answer, [&] { trace->finish(answer.result); });
  return answer;
}

void write_files(const SolveCommand& command, Answer& answer) {
  const Solution& solution = answer.result.solution;
  if (!command.output.empty())
    attempt(answer, [&] {
      forget_identity(command.output);
      write_file(command.output, write_solution(answer.instance, solution, answer.result.cost));
    });
  if (!command.svg.empty())
    attempt(answer, [&] { write_picture(command.svg, draw_picture(answer.instance, &solution)); });
}

std::optional<double> gap_percent(const SolveCommand& command, const Answer& answer) {
  if (!command.reference || !(*command.reference > 0)) return std::nullopt;
  return 100 * (answer.result.cost / *command.reference - 1);
}

nlohmann::ordered_json to_json(const SolveCommand& command, const Answer& answer) {
  const Instance& instance = answer.instance;
  const SolveResult& result = answer.result;
  nlohmann::ordered_json object;
  object["name"] = instance.name;
  object["problem"] = problem_name(instance.kind);
  object["size"] = instance.customers();
  put_rounding(object, {&instance, 1});
  object["cost"] = result.cost;
  object["feasible"] = result.feasible;
  if (!result.feasible) object["findings"] = verify(instance, result.solution).findings;
  if (const auto gap = gap_percent(command, answer)) {
    object["reference_cost"] = *command.reference;
    object["gap_percent"] = *gap;
  }
  put_routes(object, instance, result.solution);
  object["steps"] = result.steps;
  object["augment"] = result.copies;
  object["policy"] = command.policy;
  object["start"] = command.initial.empty() ? command.start : "initial";
  object["polish"] = polish_json(command.search);
  object["restart"] = command.search.restart;
  object["stopped_by"] = search::stop_reason_name(result.stopped_by);
  if (traits(instance.kind).constrained) object["feasible_share"] = result.feasible_share;
  object["seconds"] = answer.seconds;
  object["search_seconds"] = result.seconds;
  object["seed"] = command.search.seed;
  object["model"] = result.model;
  object["model_checksum"] = result.checksum;
  object["device"] = result.device;
  return object;
}

std::string summary_text(const SolveCommand& command, const Answer& answer) {
  const Instance& instance = answer.instance;
  const SolveResult& result = answer.result;
  const ProblemTraits problem = traits(instance.kind);
  std::string text =
      fmt::format("{}: {} with {} {}", instance.name, problem.label, instance.customers(), problem.places);
  text += rounding_text(instance, command.overrides) + "\n";
  text += fmt::format("cost {}", cost_text(result.cost));
  if (problem.depots) text += fmt::format(", {} routes", numbered_routes(instance, result.solution).size());
  if (const auto gap = gap_percent(command, answer))
    text += fmt::format(", gap {:+.3f} % to {}", *gap, cost_text(*command.reference));
  text += result.feasible ? ", verified\n" : ", NOT FEASIBLE\n";
  if (!result.feasible)
    for (const std::string& finding : verify(instance, result.solution).findings) text += "  " + finding + "\n";
  if (result.stopped_by == StopReason::exact) return text + fmt::format("solved exactly in {:.3f} s\n", answer.seconds);
  return text + fmt::format("{} steps of {} copies in {:.2f} s (ended by {}), model {} on {}, seed {}\n", result.steps,
                            result.copies, answer.seconds, search::stop_reason_name(result.stopped_by), result.model,
                            result.device, command.search.seed);
}

/// Whether one of the files is standard output, which then holds nothing else. Throws InputError when anything would
/// have to share it.
bool takes_standard_output(const SolveCommand& command) {
  const char* owner = nullptr;
  const std::pair<const char*, const std::string&> files[] = {
      {"--output", command.output}, {"--svg", command.svg}, {"--trace", command.trace}};
  for (const auto& [option, path] : files) {
    refuse_two_on_standard_output(command.json, option, path);
    if (path != kStandardOutput) continue;
    if (owner != nullptr)
      throw InputError(
          fmt::format("{} and {} would share standard output, name a file for one of them", owner, option));
    owner = option;
  }
  return owner != nullptr;
}

void print_text(const SolveCommand& command, const Answer& answer) {
  std::string text = summary_text(command, answer);
  if (command.output.empty() || answer.unwritten)
    text += "\n" + write_solution(answer.instance, answer.result.solution, answer.result.cost);
  if (!takes_standard_output(command))
    fmt::print("{}", text);
  else if (!command.quiet || (answer.unwritten && command.output != kStandardOutput))
    say(text);
}

int solve_file(const SolveCommand& command) {
  const WarningSink note = command.quiet ? WarningSink{} : warn_on_stderr();
  takes_standard_output(command);
  InstanceSet read = read_instances(command.files, command.limit, note, command.overrides);
  if (read.is_set) return solve_set(command, std::move(read.instances));
  if (command.resume) throw InputError(command.files.front(), 0, "one instance, --resume is for sets");
  refuse_several_ranks(command.files.front());
  if (command.limit > 0) throw InputError(command.files.front(), 0, "one instance, --limit is for sets");
  check_files(command);
  Answer answer = run(command, std::move(read.instances.front()), note);
  write_files(command, answer);
  answer.seconds = process_seconds();
  if (command.json)
    print_json(to_json(command, answer));
  else
    print_text(command, answer);
  if (answer.unwritten) std::rethrow_exception(answer.unwritten);
  return answer.result.feasible ? 0 : 1;
}

}  // namespace

SolveOptions solver_options(const SolveCommand& command) {
  SolveOptions options = command.search;
  apply_common(command, options);
  if (command.steps)
    options.steps = command.steps;
  else if (command.time_limit || options.patience > 0)
    options.steps.reset();
  if (command.time_limit)
    options.deadline = process_start() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                             std::chrono::duration<double>(*command.time_limit));
  return options;
}

void put_routes(nlohmann::ordered_json& object, const Instance& instance, const Solution& solution) {
  const auto routes = numbered_routes(instance, solution);
  if (traits(instance.kind).depots)
    object["routes"] = routes;
  else
    object["tour"] = routes.at(0);
  put_schedule(object, instance, solution);
}

void add_solve(CLI::App& program, Job& job) {
  auto options = std::make_shared<SolveCommand>();
  CLI::App* command = program.add_subcommand("solve", "Solve an instance or a set and verify the solutions");
  command
      ->add_option("file", options->files,
                   "Instance: .tsp, .vrp or Solomon's .txt; or a set: .npz, a pickled list, a folder or several files")
      ->required();
  command
      ->add_option("--steps", options->steps,
                   "Search steps of each copy [1000; no limit with --time-limit or --patience]")
      ->transform(whole_number(0));
  command->add_option("--time-limit", options->time_limit, "Seconds, everything from the program's start included")
      ->check(number_above_zero(search::kMostSecondsOffered));
  command
      ->add_option("--target", options->search.target_cost,
                   "Stop at this cost or below, up to the rounding of single precision")
      ->check(finite_number());
  command
      ->add_option("--patience", options->search.patience,
                   "Stop after that many steps without a better solution, looked at every ten")
      ->transform(whole_number(1));
  command->add_option("--initial", options->initial, "Start from this solution (.sol or .tour); never ends worse")
      ->check(file_name);
  command->add_option("--reference", options->reference, "Known cost to compare with")->check(number_above_zero());
  command->add_option("--limit", options->limit, "Only the first so many instances of a set")
      ->transform(whole_number(1));
  add_output_option(*command, options->output,
                    "Write the solution: .sol or .tour (TSP). Of a set: a file of JSON lines, or a folder, "
                    "existing or ending in '/', for a .sol or .tour file each");
  add_resume_option(*command, options->resume);
  add_file_option(*command, "--svg", options->svg,
                  "Write a picture of the solution: .svg, or .png with rsvg-convert installed");
  add_file_option(*command, "--trace", options->trace,
                  "Write every step of the search as JSON lines; not of one by parts");
  command->add_flag("--trace-tours", options->trace_tours, "With the chosen nodes and the tour of every step")
      ->needs("--trace");
  add_search_options(*command, *options, options->search);
  command->get_option("--initial")->excludes("--start");
  command->footer(kNumberingHelp);
  command->callback([options, &job] { job = on_ranks([options] { return solve_file(*options); }); });
}

}  // namespace neuopt::cli
