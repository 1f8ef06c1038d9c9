// One instance as the search sees it: coordinates in the unit square, demands in units of the capacity, depots first.
#pragma once

#include <cmath>

#include "core/host_device.h"

namespace neuopt::env {

struct ProblemView {
  int nodes;            // N, dummy depots included
  int depots;           // D; 0 for the TSP. Nodes 0 .. D-1 are copies of the depot
  const float* x;       // (N)
  const float* y;       // (N)
  const float* demand;  // (N) divided by the capacity, 0 for depots; null for the TSP
  const float* matrix;  // (M, M) edge costs by place, or null: the Euclidean distance of x, y
  float epsilon;        // largest total violation that still counts as epsilon-feasible
  float tolerance;      // a load exceeds the capacity above 1 + tolerance
};

NEUOPT_HD bool is_depot(const ProblemView& problem, int node) { return node < problem.depots; }

/// Row of a node in the cost matrix: all depots share row 0.
NEUOPT_HD int place_of(const ProblemView& problem, int node) {
  if (problem.depots == 0) return node;
  return node < problem.depots ? 0 : node - problem.depots + 1;
}

NEUOPT_HD int places(const ProblemView& problem) {
  return problem.depots == 0 ? problem.nodes : problem.nodes - problem.depots + 1;
}

/// Cost of an edge in the units of the search.
NEUOPT_HD double edge_cost(const ProblemView& problem, int from, int to) {
  if (problem.matrix != nullptr)
    return problem.matrix[static_cast<long>(place_of(problem, from)) * places(problem) + place_of(problem, to)];
  const double dx = static_cast<double>(problem.x[from]) - problem.x[to];
  const double dy = static_cast<double>(problem.y[from]) - problem.y[to];
  return sqrt(dx * dx + dy * dy);
}

}  // namespace neuopt::env
