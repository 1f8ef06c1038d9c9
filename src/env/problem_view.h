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
  const float* matrix;  // (places, places) edge costs, or null: the Euclidean distance of x, y
  const int* place;     // (N) row of each node in the matrix; null without one
  int places;           // rows of the matrix
  float epsilon;        // largest total violation that still counts as epsilon-feasible
  float tolerance;      // a load exceeds the capacity above 1 + tolerance
};

NEUOPT_HD bool is_depot(const ProblemView& problem, int node) { return node < problem.depots; }

/// Cost of an edge in the units of the search.
NEUOPT_HD double edge_cost(const ProblemView& problem, int from, int to) {
  if (problem.matrix != nullptr)
    return problem.matrix[static_cast<long>(problem.place[from]) * problem.places + problem.place[to]];
  const double dx = static_cast<double>(problem.x[from]) - problem.x[to];
  const double dy = static_cast<double>(problem.y[from]) - problem.y[to];
  return sqrt(dx * dx + dy * dy);
}

}  // namespace neuopt::env
