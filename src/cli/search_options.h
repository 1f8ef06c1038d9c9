// The options that solve and eval have in common.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "cli/file_guard.h"
#include "neuopt.h"

namespace CLI {
class App;
}

namespace neuopt::cli {

struct CommonOptions {
  std::string model;
  std::string device = "auto";
  std::string start = "auto";
  std::string policy = "model";
  FileOverrides overrides;
  bool no_augment = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::function<bool(const char*)> given;  // whether an option stands on the command line
};

/// Adds --model, --policy, --augment, --stall, --no-augment, --start, --polish, --restart, --by-parts, --seed,
/// --threads, --device, --precision, --batch, --memory-limit, --rounding, --vehicles, --json, --quiet and --verbose.
/// What `search` holds is the default.
void add_search_options(CLI::App& command, CommonOptions& options, SolveOptions& search);

/// Adds --resume, after --output.
void add_resume_option(CLI::App& command, bool& resume);

/// Throws InputError: a run that stands alone writes its file when it is complete.
[[noreturn]] void refuse_resume_alone();

/// Adds the choice of a start under a name.
void add_start_option(CLI::App& command, const std::string& name, std::string& start);

/// The device and the models that the options name. Throws like the Solver, and InputError when a model that is named
/// is none for the problem: at once, and also where all instances are too small to need it.
Solver open_solver(const CommonOptions& options, ProblemKind problem, const WarningSink& note);

/// The files that every search reads: instances, wherever they are, and the model.
FileGuard guard_search(std::span<const std::string> paths, const CommonOptions& options);

/// The steps between two polishes, or "auto" where the device decides.
nlohmann::ordered_json polish_json(const SolveOptions& search);

/// What the common options mean for the search: --start, --policy none, and --no-augment (the coordinates as they are,
/// from the first step to the last). Throws InputError when one was given that has no effect with --policy none.
void apply_common(const CommonOptions& options, SolveOptions& search);

}  // namespace neuopt::cli
