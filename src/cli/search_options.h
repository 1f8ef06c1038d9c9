// The options that solve and eval have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "neuopt.h"

namespace neuopt::cli {

struct CommonOptions {
  std::string model;
  std::string device = "auto";
  bool no_augment = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

/// Adds --model, --augment, --stall, --no-augment, --seed, --threads, --device, --precision, --batch, --json, --quiet
/// and --verbose.
void add_search_options(CLI::App& command, CommonOptions& options, SolveOptions& search);

/// Applies --no-augment: the coordinates as they are, from the first step to the last.
void apply_no_augment(const CommonOptions& options, SolveOptions& search);

}  // namespace neuopt::cli
