#include "cli/search_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/gpu_choice.h"
#include "cli/memory_option.h"
#include "cli/number_check.h"
#include "cli/word_options.h"
#include "core/error.h"
#include "search/model_choice.h"
#include "search/settings.h"

namespace neuopt::cli {

void add_search_options(CLI::App& command, CommonOptions& options, SolveOptions& search) {
  options.given = [&command](const char* option) { return command.count(option) > 0; };
  command.add_option("--model", options.model, "Model file, or the name of a bundled model [the nearest bundled one]")
      ->check(any_name);
  command.add_option("--policy", options.policy, "model, or none: local search with random kicks, on the CPU [model]")
      ->check(CLI::IsMember({"model", "none"}));
  add_start_option(command, "--start", options.start);
  command
      .add_option("--polish", search.polish,
                  fmt::format("Steps between two polishes by local search, whose results are kept; 0: never [{}]",
                              search.polish ? fmt::format("{}", *search.polish) : "10; on a GPU 25, for the tsp 5"))
      ->transform(whole_number(0));
  command.add_option("--restart", search.restart, "Steps between two returns of a copy to its best tour; 0: never")
      ->transform(whole_number(0))
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--by-parts",
          [&search](const std::string& word) {
            search.by_parts = word == "auto" ? std::nullopt : std::optional(word == "yes");
          },
          fmt::format("Search parts of about 100 nodes side by side, in rounds: auto (above 200 nodes), yes or no [{}]",
                      !search.by_parts   ? "auto"
                      : *search.by_parts ? "yes"
                                         : "no"))
      ->check(CLI::IsMember({"auto", "yes", "no"}));
  command
      .add_option("--augment", search.copies,
                  "Copies of the instance searched side by side, each with its own augmentations; the paper's D2A=A")
      ->transform(whole_number(1, search::kMostCopies))
      ->capture_default_str();
  command
      .add_option("--stall", search.stall_limit,
                  "Steps without a new best before a copy draws a new augmentation; 0: never")
      ->transform(whole_number(0))
      ->capture_default_str();
  command.add_flag("--no-augment", options.no_augment,
                   "The network sees the coordinates as they are: no augmentation at the start nor later");
  add_seed_option(command, search.seed, "The same seed gives the same answer")->capture_default_str();
  command.add_option("--threads", search.threads, "Threads; 0: all the machine offers")
      ->transform(whole_number(0, kMostThreads))
      ->capture_default_str();
  command
      .add_option("--device", options.device,
                  "auto, cpu, cuda, cuda:N of several GPUs, or reference (plain loops in double, slow)")
      ->check(check_device)
      ->capture_default_str();
  add_precision_option(command, search.precision,
                       "Arithmetic of the network. cpu: fp32, or bf16 where the processor has it [fp32]; cuda: fp32 or "
                       "fp16 [fp16]; reference: fp64");
  command
      .add_option("--batch", search.session_copies,
                  "Copies that the device works on together; 0: a fitting number. The answer does not depend on it")
      ->transform(whole_number(0, search::kMostSessionCopies))
      ->capture_default_str();
  add_memory_option(command, search.memory_limit,
                    "Memory of the host for copies that are searched at once (not instances, models or parts)");
  add_rounding_option(command, options.overrides);
  add_vehicles_option(command, options.overrides);
  command.add_flag("--json", options.json, "Print one JSON object");
  command.add_flag("--quiet", options.quiet, "No progress and no notes");
  command.add_flag("--verbose", options.verbose, "Progress even when standard error is no terminal");
}

void add_resume_option(CLI::App& command, bool& resume) {
  command
      .add_flag("--resume", resume, "Under mpirun: continue the file of --output, which an earlier run left unfinished")
      ->needs("--output");
}

void refuse_resume_alone() {
  throw InputError("--resume is for runs under mpirun, which may as well have one rank: mpirun -n 1 neuopt ...");
}

void add_start_option(CLI::App& command, const std::string& name, std::string& start) {
  std::vector<std::string> names;
  for (const StartKind kind : search::kStartKinds) names.push_back(search::start_name(kind));
  command
      .add_option(name, start,
                  "auto: greedy, then local search; random: the paper's; greedy: greedy edge (tsp), savings (cvrp) or "
                  "insertion (vrptw); savings; curve: along a space-filling curve")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
}

Solver open_solver(const CommonOptions& options, ProblemKind problem, const WarningSink& note) {
  if (!options.model.empty()) search::ModelShelf(options.model).choose(problem, 0);
  return Solver({.model = options.model, .device = choose_gpu(options.device), .note = note});
}

FileGuard guard_search(std::span<const std::string> paths, const CommonOptions& options) {
  FileGuard guard;
  for (const std::string& path : instance_files(paths)) guard.reads(path, "the input");
  guard.reads(options.model, "the model");
  return guard;
}

nlohmann::ordered_json polish_json(const SolveOptions& search) {
  if (search.polish) return *search.polish;
  return "auto";
}

void apply_common(const CommonOptions& options, SolveOptions& search) {
  search.start = *search::parse_start(options.start);
  search.use_policy = options.policy != "none";
  for (const char* option :
       {"--model", "--polish", "--precision", "--stall", "--by-parts", "--no-augment", "--restart"})
    if (!search.use_policy && options.given(option))
      throw InputError(fmt::format("{} has no effect with --policy none: expected one of them", option));
  if (!options.no_augment) return;
  if (options.given("--stall")) throw InputError("--stall has no effect with --no-augment: expected one of them");
  search.augment_start = false;
  search.stall_limit = 0;
}

}  // namespace neuopt::cli
