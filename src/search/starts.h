// Where the copies of a search begin.
#pragma once

#include <vector>

#include "problem/instance.h"
#include "problem/normalize.h"
#include "search/solver.h"

namespace neuopt::search {

/// The tours that the copies start from, by the options' kind of start. `trained_size` is the model's; 0: unknown.
std::vector<std::vector<int>> choose_starts(const SearchInstance& instance, const SolveOptions& options,
                                            int trained_size);

/// The solution with every overloaded route cut into routes that fit, in the same order of visits: a search must begin
/// from a feasible solution to know what "better" means.
Solution split_overloaded(const Instance& instance, const Solution& solution);

}  // namespace neuopt::search
