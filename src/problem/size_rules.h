// What follows from the number of customers alone: the published settings at 20, 50, 100 and 200 customers, straight
// lines between them, and the last line's slope beyond 200.
#pragma once

#include "problem/problem_kind.h"

namespace neuopt {

/// Capacity of the uniform CVRP sets (demands 1..9): 30, 40, 50, 70 for 20, 50, 100, 200 customers; 30 below 20.
int uniform_capacity(int customers);

/// Dummy depots of the search: 10, 20, 20, 30 for 20, 50, 100, 200 customers, with time windows 10, 20, 28, 48; half
/// the customers (rounded up, at least 2) below 20. A curve of the paper's experiments only: see make_search_instance
/// for what an instance gets.
int usual_depots(ProblemKind kind, int customers);

}  // namespace neuopt
