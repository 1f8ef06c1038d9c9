// One instance as the search sees it, for host and device alike: places in the unit square, depots first, and what the
// problem knows of each node besides.
#pragma once

#include <cmath>

#include "core/host_device.h"
#include "kopt/exchange.h"
#include "kopt/fixed_edges.h"
#include "kopt/tour.h"
#include "problem/search_instance.h"
#include "problem/straight_line.h"

namespace neuopt::env {

struct InstanceView {
  int nodes;                            // N, dummy depots included
  int depots;                           // D; nodes 0 .. D-1 are copies of the depot. 0 where the problem has none
  const float* x;                       // (N)
  const float* y;                       // (N)
  const void* node;                     // (N) of the problem's Node; null when that is empty
  const float* matrix;                  // (places, places) edge costs, or null: the Euclidean distance of x, y
  const int* place;                     // (N) row of each node in the matrix, node of the file; null without one
  int places;                           // rows of the matrix
  float epsilon;                        // largest violation that still counts as epsilon-feasible
  TickRule ticks = {};                  // how costs become travel times, where there are time windows
  float tick_length = 0;                // of a tick, as the network sees it
  const std::int32_t* fixed = nullptr;  // (N, 2) partners of fixed edges (kopt/fixed_edges.h), or null: there are none
  // In the memory of the host alone, where there is neither a matrix nor the Euclidean distance:
  const Instance* file = nullptr;  // costs are its distances between places
  double cost_scale = 1;           // divided by this
};

NEUOPT_HD bool is_depot(const InstanceView& instance, int node) { return node < instance.depots; }

NEUOPT_HD kopt::FixedEdges fixed_edges(const InstanceView& instance) { return {instance.fixed, instance.depots}; }

/// The nodes as their problem describes them.
template <class Problem>
NEUOPT_HD const typename Problem::Node* nodes_of(const InstanceView& instance) {
  return static_cast<const typename Problem::Node*>(instance.node);
}

/// Cost of an edge in the units of the search.
NEUOPT_HD double edge_cost(const InstanceView& instance, int from, int to) {
  if (instance.matrix != nullptr)
    return instance.matrix[static_cast<long>(instance.place[from]) * instance.places + instance.place[to]];
#if !defined(__CUDA_ARCH__)
  if (instance.file != nullptr)
    return scaled_distance(*instance.file, instance.place[from], instance.place[to], instance.cost_scale);
#endif
  return straight_length(static_cast<double>(instance.x[from]) - instance.x[to],
                         static_cast<double>(instance.y[from]) - instance.y[to]);
}

/// Time from one node to another.
NEUOPT_HD std::int32_t travel_time(const InstanceView& instance, int from, int to) {
  return travel_ticks(instance.ticks, edge_cost(instance, from, to));
}

NEUOPT_HD double tour_cost(const InstanceView& instance, const kopt::TourView& tour) {
  double cost = edge_cost(instance, tour.order[tour.nodes - 1], tour.order[0]);
  for (int p = 1; p < tour.nodes; ++p) cost += edge_cost(instance, tour.order[p - 1], tour.order[p]);
  return cost;
}

/// Cost of the tour after the exchange minus its cost before.
NEUOPT_HD double exchange_delta(const InstanceView& instance, const kopt::TourView& tour, const kopt::Action& action) {
  double delta = 0;
  kopt::for_each_changed_edge(tour, action,
                              [&](int from, int to, int sign) { delta += sign * edge_cost(instance, from, to); });
  return delta;
}

}  // namespace neuopt::env
