// neuopt solve on a set: a line of JSON or a file for each solution, and a summary.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include "cli/console.h"
#include "cli/in_order.h"
#include "cli/ranks.h"
#include "cli/run_identity.h"
#include "cli/schedule_json.h"
#include "cli/set_run.h"
#include "cli/solve_command.h"
#include "cli/stop_signal.h"
#include "core/file.h"
#include "core/text.h"

namespace neuopt::cli {
namespace {

namespace fs = std::filesystem;

/// Takes each solution as it is found, in any order. One that cannot be written ends the search like an interrupt: what
/// was written before is kept, and the summary is not lost.
class SolutionSink {
 public:
  virtual ~SolutionSink() = default;
  virtual void add(const Instance& instance, const SolveResult& result) = 0;
  /// After the last one, or when the run has failed.
  virtual void complete(bool /*failed*/) {}
  /// Why the first one that could not be written could not; nothing: all were.
  std::exception_ptr unwritten() const { return unwritten_; }

 protected:
  void attempt(const std::function<void()>& write) {
    try {
      write();
    } catch (...) {
      if (!unwritten_) unwritten_ = std::current_exception();
      request_stop();
    }
  }

 private:
  std::exception_ptr unwritten_;
};

std::string to_line(const Instance& instance, const SolveResult& result) {
  nlohmann::ordered_json object;
  object["instance"] = result.instance;
  object["name"] = instance.name;
  put_rounding(object, {&instance, 1});
  object["cost"] = result.cost;
  object["feasible"] = result.feasible;
  if (instance.reference_cost) object["reference_cost"] = *instance.reference_cost;
  if (result.gap) object["gap_percent"] = 100 * *result.gap;
  put_routes(object, instance, result.solution);
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// One JSON object a line, in the order of the set: a line waits for those before it. Without a path they go to
/// standard output.
class LineSink final : public SolutionSink {
 public:
  explicit LineSink(const std::string& path) : path_(path) {
    if (path.empty()) return;
    refuse_unfinished(path);
    file_ = std::make_unique<GrowingFile>(path);
  }

  void add(const Instance& instance, const SolveResult& result) override {
    lines_.add(result.instance, to_line(instance, result));
  }

  void complete(bool failed) override {
    lines_.write_rest();                                         // an interrupt left gaps
    if (!file_ || ((failed || unwritten()) && !begun_)) return;  // an older file is better than an empty one
    attempt([&] {
      forget_identity(path_);
      file_->complete();
    });
  }

 private:
  void write(const std::string& line) {
    if (unwritten()) return;  // standard output may hold a part of the line before
    attempt([&] {
      if (file_)
        file_->append(line);
      else
        fmt::print("{}", line);
      begun_ = true;
    });
  }

  std::string path_;
  std::unique_ptr<GrowingFile> file_;
  bool begun_ = false;  // a line was written
  InOrder lines_{[this](const std::string& line) { write(line); }};
};

/// A .sol or .tour file for each instance, called like it.
class FolderSink final : public SolutionSink {
 public:
  FolderSink(std::string folder, const std::vector<Instance>& instances, FileGuard guard) : folder_(std::move(folder)) {
    std::error_code failure;
    fs::create_directory(folder_, failure);
    if (failure) throw ResourceError(folder_ + ": cannot make this folder: " + failure.message());
    std::set<std::string> taken;
    for (const Instance& instance : instances) {
      const std::string name = harmless_name(instance.name);
      std::string unique = name;
      for (int count = 2; !taken.insert(unique).second; ++count) unique = fmt::format("{}-{}", name, count);
      names_.push_back(unique + traits(instance.kind).solution_ending);
    }
    for (std::size_t index = 0; index < names_.size(); ++index) guard.writes(path_of(index), "--output");
    check_writable(path_of(0));
  }

  void add(const Instance& instance, const SolveResult& result) override {
    attempt([&] {
      write_file(path_of(static_cast<std::size_t>(result.instance)),
                 write_solution(instance, result.solution, result.cost));
    });
  }

 private:
  std::string path_of(std::size_t index) const { return (fs::path(folder_) / names_[index]).string(); }

  std::string folder_;
  std::vector<std::string> names_;
};

std::unique_ptr<SolutionSink> open_sink(const SolveCommand& command, const std::vector<Instance>& instances) {
  FileGuard guard = guard_search(command.files, command);
  std::error_code unreadable;
  if (command.output.ends_with('/') || fs::is_directory(command.output, unreadable))
    return std::make_unique<FolderSink>(command.output, instances, guard);
  guard.writes(command.output, "--output");
  refuse_foreign_ending(command.output, {".sol", ".tour"}, "a file of lines, .jsonl, or a folder, NAME/");
  return std::make_unique<LineSink>(command.output);
}

void refuse_options_of_one(const SolveCommand& command) {
  const auto refuse = [&](bool given, const char* option) {
    if (given)
      throw InputError(command.files.front(), 0,
                       fmt::format("a set, {} is for one instance (.tsp, .vrp or .txt)", option));
  };
  refuse(!command.initial.empty(), "--initial");
  refuse(!command.svg.empty(), "--svg");
  refuse(!command.trace.empty(), "--trace");
  refuse(command.trace_tours, "--trace-tours");
  refuse(command.search.target_cost.has_value(), "--target");
  refuse(command.reference.has_value(), "--reference");
  if (command.json && command.output.empty())
    throw InputError("--json prints a summary of the set; name a file or folder for the solutions with --output");
}

std::string summary_text(const SetRun& run, const SolveCommand& command, const SolveOptions& options) {
  std::string text =
      fmt::format("{} {}, {} of {} instances solved and verified\n", set_name(command.files), size_text(run.instances),
                  static_cast<long>(run.results.size()) - run.summary.infeasible, run.instances.size());
  text += means_text(run) + speed_text(run, options);
  return run.interrupted ? text + "interrupted: some have the best found so far, or none\n" : text;
}

/// On this process alone, or together with others.
std::optional<SetRun> run_somewhere(const SolveCommand& command, const SolveOptions& options,
                                    std::vector<Instance> instances) {
  if (run_on_ranks != nullptr) {
    return run_on_ranks({.command = "solve",
                         .paths = command.files,
                         .instances = std::move(instances),
                         .common = command,
                         .options = options,
                         .time_limit = command.time_limit,
                         .output = command.output,
                         .resume = command.resume,
                         .print_lines = true,
                         .line = to_line});
  }
  if (command.resume) refuse_resume_alone();
  const std::unique_ptr<SolutionSink> sink = open_sink(command, instances);
  const auto add = [&](const Instance& instance, const SolveResult& result) { sink->add(instance, result); };
  SetRun run;
  try {
    run = run_set(std::move(instances), command, options, true, add);
  } catch (...) {  // what was solved before is kept
    sink->complete(true);
    throw;
  }
  sink->complete(false);
  run.unwritten = sink->unwritten();
  return run;
}

}  // namespace

int solve_set(const SolveCommand& command, std::vector<Instance> instances) {
  refuse_options_of_one(command);
  const SolveOptions options = solver_options(command);
  const std::optional<SetRun> run = run_somewhere(command, options, std::move(instances));
  if (!run) return 0;  // another rank has the word
  if (command.json)
    print_json(summary_json(set_name(command.files), *run, options));
  else if (!command.output.empty() && command.output != kStandardOutput)
    fmt::print("{}", summary_text(*run, command, options));
  else if (!command.quiet)
    say(summary_text(*run, command, options));
  if (run->unwritten) std::rethrow_exception(run->unwritten);
  return run->summary.infeasible > 0 ? 1 : 0;
}

}  // namespace neuopt::cli
