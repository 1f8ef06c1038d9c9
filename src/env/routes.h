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

/// The same, to the bit, for one lane: two passes over the tour without a branch at the end of each route. Where routes
/// end is unpredictable after an exchange, and mispredicted branches cost more than the sums.
NEUOPT_HD void compute_loads(SerialLanes, const ProblemView& problem, const kopt::TourView& tour,
                             const LoadsView& loads) {
  const float most_before[2] = {1e30f, 0.0f};  // a depot forgets the load before it, a customer keeps it
  float load = 0;
  for (int p = 0; p < tour.nodes; ++p) {
    const int node = tour.order[p];
    const float most = most_before[is_depot(problem, node)];
    load = (load < most ? load : most) + problem.demand[node];
    loads.up_to[node] = load;
  }
  int last_of_route = 0;
  bool ends_route = true;
  for (int p = tour.nodes - 1; p >= 0; --p) {
    const int node = tour.order[p];
    last_of_route = ends_route ? node : last_of_route;
    loads.after[node] = loads.up_to[last_of_route] - loads.up_to[node];
    ends_route = is_depot(problem, node);
  }
  for (int depot = 0; depot < problem.depots; ++depot) loads.route[depot] = loads.after[depot];
}

NEUOPT_HD bool exceeds_capacity(const ProblemView& problem, float load) { return load > 1.0f + problem.tolerance; }

/// Sum over routes of what exceeds the capacity (and its tolerance); 0 for a feasible tour.
NEUOPT_HD float total_violation(const ProblemView& problem, const LoadsView& loads) {
  float violation = 0;
  for (int depot = 0; depot < problem.depots; ++depot) {
    const float excess = loads.route[depot] - (1.0f + problem.tolerance);
    violation += excess > 0 ? excess : 0.0f;
  }
  return violation;
}

}  // namespace neuopt::env
