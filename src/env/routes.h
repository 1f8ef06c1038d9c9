// Route loads of a CVRP tour and the violation of the capacity.
#pragma once

#include "core/lanes.h"
#include "env/problem_view.h"
#include "kopt/tour.h"

namespace neuopt::env {

struct LoadsView {
  float* up_to;  // (N) load of the route up to and including the node; 0 for a depot
  float* after;  // (N) load of the route after the node
  float* route;  // (D) load of the route that each depot starts
};

/// Fills the loads from the tour. A depot belongs to the route that it starts, so each route is walked on its own.
template <class Lanes>
NEUOPT_HD void compute_loads(Lanes lanes, const ProblemView& problem, const kopt::TourView& tour,
                             const LoadsView& loads) {
  for (int depot = lanes.first(); depot < problem.depots; depot += lanes.stride()) {
    const int start = tour.position[depot];
    float load = 0;
    int end = start + 1;
    for (; end < tour.nodes && !is_depot(problem, tour.order[end]); ++end) {
      load += problem.demand[tour.order[end]];
      loads.up_to[tour.order[end]] = load;
    }
    loads.up_to[depot] = 0;
    loads.route[depot] = load;
    for (int p = start; p < end; ++p) loads.after[tour.order[p]] = load - loads.up_to[tour.order[p]];
  }
  lanes.sync();
}

NEUOPT_HD bool exceeds_capacity(const ProblemView& problem, float load) { return load > 1.0f + problem.tolerance; }

/// Sum over routes of what exceeds the capacity (and its tolerance); 0 for a feasible tour.
NEUOPT_HD float total_violation(const ProblemView& problem, const LoadsView& loads) {
  float violation = 0;
  for (int depot = 0; depot < problem.depots; ++depot) {
    const float excess = loads.route[depot] - (1.0f + problem.tolerance);
    if (excess > 0) violation += excess;
  }
  return violation;
}

}  // namespace neuopt::env
