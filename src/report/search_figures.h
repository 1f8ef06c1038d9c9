// Figures of a recorded search.
#pragma once

#include "io/search_log.h"
#include "report/chart.h"

namespace neuopt::report {

/// Steps of one copy to look at.
struct LogWindow {
  int copy = 0;    // index; users count them from 1
  long first = 1;  // step, from 1
  long last = 0;   // step; 0: to the end
};

/// Cost of every solution visited, feasible ones as dots and infeasible ones as crosses, with the best feasible and
/// the best infeasible cost so far. Throws InputError when the window holds no step.
Chart trajectory_chart(const SearchLog& log, const LogWindow& window = {});

/// How often each k was chosen, over all copies: in all, and as shares along the search.
Chart exchange_size_chart(const SearchLog& log);

/// How many of the five solutions before a new best were infeasible, over all copies. Throws InputError for a TSP,
/// where none is, and when no new best has five before it.
Chart infeasible_before_best_chart(const SearchLog& log);

}  // namespace neuopt::report
