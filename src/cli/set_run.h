// What solve and eval have in common when they run on a set of instances.
#pragma once

#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/search_options.h"
#include "neuopt.h"

namespace neuopt::cli {

struct SetRun {
  std::vector<Instance> instances;
  std::vector<SolveResult> results;  // in the order of the set; those not begun before an interrupt are missing
  search::SetSummary summary;
  double seconds = 0;           // of the search
  std::string model, checksum;  // of all models that were used
  std::string device;
  bool interrupted = false;      // before all instances were done
  std::exception_ptr unwritten;  // why a solution could not be written: told after the summary
};

/// Solves the instances, with progress on standard error; an interrupt (Ctrl-C) ends the work. Instances that it
/// interrupted count as results only when `keep_unfinished` says so.
SetRun run_set(std::vector<Instance> instances, const CommonOptions& common, const SolveOptions& options,
               bool keep_unfinished, const std::function<void(const Instance&, const SolveResult&)>& finished = {});

/// Fills in what the results say about the whole run: models, device, means.
void summarize_run(SetRun& run, const SolveOptions& options);

/// The set's name in reports: of the file or folder, or of the first of several.
std::string set_name(const std::vector<std::string>& paths);
/// "TSP-20", or "TSP-20 to TSP-100" when sizes differ.
std::string size_text(const std::vector<Instance>& instances);

/// The fields of --json.
nlohmann::ordered_json summary_json(const std::string& name, const SetRun& run, const SolveOptions& options);

/// "mean cost 3.8400, gap 0.0100 % (mean reference 3.8396), infeasible 0", and a line about the run.
std::string means_text(const SetRun& run);
std::string speed_text(const SetRun& run, const SolveOptions& options);
std::string mean_text(const std::optional<double>& mean);
std::string gap_text(const std::optional<double>& gap);

/// 0.01 as 1 percent.
std::optional<double> percent(const std::optional<double>& share);

}  // namespace neuopt::cli
