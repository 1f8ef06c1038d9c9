// Node features, the input of the policy network besides positions. TSP: x, y. CVRP: x, y, load up to the node, demand,
// load after it, depot, and the two violation indicators (VI) of GIRE.
#pragma once

#include "env/gire.h"
#include "env/problem_view.h"
#include "env/routes.h"

namespace neuopt::env {

inline constexpr int kTspFeatures = 2;
inline constexpr int kCvrpFeatures = 8;

NEUOPT_HD int feature_count(const ProblemView& problem) { return problem.depots == 0 ? kTspFeatures : kCvrpFeatures; }

/// Writes the features of one node. (seen_x, seen_y) are the augmented coordinates that the network sees.
NEUOPT_HD void write_node_features(const ProblemView& problem, const LoadsView& loads, const GireParameters& gire,
                                   int node, float seen_x, float seen_y, float* out) {
  out[0] = seen_x;
  out[1] = seen_y;
  if (problem.depots == 0) return;
  const float up_to = loads.up_to[node];
  const float demand = problem.demand[node];
  out[2] = up_to;
  out[3] = demand;
  out[4] = loads.after[node];
  // Plain conversions of flags: branches on them would be mispredicted after every exchange.
  out[5] = static_cast<float>(is_depot(problem, node));
  out[6] = static_cast<float>(gire.violation_features & exceeds_capacity(problem, up_to - demand));
  out[7] = static_cast<float>(gire.violation_features & exceeds_capacity(problem, up_to));
}

/// Writes the features of all nodes, (N, features) row by row.
template <class Lanes>
NEUOPT_HD void write_features(Lanes lanes, const ProblemView& problem, const LoadsView& loads,
                              const GireParameters& gire, const float* seen_x, const float* seen_y, float* out) {
  const int features = feature_count(problem);
  for (int node = lanes.first(); node < problem.nodes; node += lanes.stride())
    write_node_features(problem, loads, gire, node, seen_x[node], seen_y[node], out + node * features);
  lanes.sync();
}

}  // namespace neuopt::env
