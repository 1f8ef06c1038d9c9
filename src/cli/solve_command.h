// neuopt solve, as its command line says; solve.cpp solves one instance, solve_set.cpp a set of them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/search_options.h"
#include "neuopt.h"

namespace neuopt::cli {

struct SolveCommand : CommonOptions {
  std::vector<std::string> files;
  SolveOptions search;
  std::optional<double> time_limit;
  std::optional<long> steps;
  std::size_t limit = 0;  // instances of a set; 0: all
  std::string initial;
  std::optional<double> reference;
  std::string output, svg, trace;
  bool resume = false;  // the output
  bool trace_tours = false;
};

/// What the command line says, in the solver's terms. A limit of time or patience alone lifts the limit of steps.
SolveOptions solver_options(const SolveCommand& command);

/// Adds "tour" or "routes" to an object, numbered as in solution files, and the schedule where there is one.
void put_routes(nlohmann::ordered_json& object, const Instance& instance, const Solution& solution);

/// Solves a set and writes its solutions as they are found; returns the exit code.
int solve_set(const SolveCommand& command, std::vector<Instance> instances);

}  // namespace neuopt::cli
