// The options that solve and eval have in common, and what kind of file they were given.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "search/settings.h"

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
void add_search_options(CLI::App& command, CommonOptions& options, search::SearchSettings& settings);

/// Applies --no-augment: the coordinates as they are, from the first step to the last.
void apply_no_augment(const CommonOptions& options, search::SearchSettings& settings);

/// True for the bytes of a test set: npz (a zip archive) or a pickle.
bool looks_like_test_set(std::string_view bytes);
/// True for the bytes of one TSPLIB or CVRPLIB instance.
bool looks_like_instance(std::string_view bytes);

}  // namespace neuopt::cli
