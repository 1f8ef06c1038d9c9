// A recorded search, as `neuopt solve --trace` writes it (search/search_log.h describes the lines).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/instance.h"

namespace neuopt {

/// One step of one copy. Costs are in the units of the file.
struct LogStep {
  long step = 0;         // from 1
  double cost = 0;       // of the solution visited
  double best = 0;       // best feasible cost so far
  double best_near = 0;  // best cost so far of the infeasible solutions near the boundary
  bool feasible = true;
  int k = 1;  // new edges of the exchange
};

struct SearchLog {
  std::string name;
  ProblemKind kind = ProblemKind::tsp;
  int customers = 0;
  std::string model;
  std::vector<double> start_cost;            // of each copy
  std::vector<std::vector<LogStep>> copies;  // steps of each copy, in order
};

/// Reads the lines of a search log. A last line without its end, as an interrupted writer leaves it, is left out.
/// Throws InputError with the line when anything else is not as it should be.
SearchLog parse_search_log(std::string_view bytes, const std::string& filename);

/// The same for a file on disk.
SearchLog read_search_log(const std::string& path);

/// True for bytes that begin like a search log.
bool looks_like_search_log(std::string_view bytes);

}  // namespace neuopt
