// Solutions as text: CVRPLIB .sol files for problems with depots, TSPLIB .tour files (or bare lists of nodes) for the
// TSP.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/warning.h"
#include "problem/instance.h"

namespace neuopt {

struct SolutionFile {
  Solution solution;
  std::optional<double> cost;  // as the file states it, not computed
};

/// Reads a solution of the instance; its kind decides the format. Ids must be in range; whether the solution is
/// feasible is left to the verifier. Throws InputError with file and line.
///
/// .sol: lines "Route #K: CUSTOMERS" and "Cost X". Customer k is the k-th node of the instance's file without the
/// depot: node k + 1 when the depot is node 1, as always in CVRPLIB. .tour: node numbers from 1 behind TOUR_SECTION, up
/// to -1, EOF or the end; without any keyword the list alone. A tour is also read in the form of a .sol file, with
/// nodes numbered from 1. The cost is taken from a comment that says "Length = X" or ends in "(X)".
SolutionFile parse_solution(std::string_view bytes, const std::string& filename, const Instance& instance,
                            const WarningSink& warn = {});

/// The same for a file on disk.
SolutionFile read_solution_file(const std::string& path, const Instance& instance, const WarningSink& warn = {});

/// The solution as a .sol (problems with depots; empty routes are left out) or .tour file (TSP) with its cost. Reads
/// back identically. Throws InputError when it holds anything but customers of the instance, or not exactly one route
/// for a TSP.
std::string write_solution(const Instance& instance, const Solution& solution, double cost);

/// The routes with nodes numbered as in those files: customers from 1 without the depot, TSP nodes from 1. Empty
/// routes are left out. Throws InputError like write_solution.
std::vector<std::vector<int>> numbered_routes(const Instance& instance, const Solution& solution);

}  // namespace neuopt
