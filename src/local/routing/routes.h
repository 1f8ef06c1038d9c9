// The routes of a solution as linked rings. Depot r is where route r begins and ends; an empty route is a depot
// that follows itself. Loads are sums in double of single-precision demands, which for all but absurd demands are
// exact, so that they do not depend on the order of the customers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/lanes.h"
#include "env/instance_view.h"
#include "env/problems/cvrp.h"
#include "local/routing/times.h"
#include "local/search_cost.h"

namespace neuopt::local {

/// Forgets what happened. A journal has this one function, called before a route is changed.
struct NoRouteChanges {
  NEUOPT_HD void changes(int /*route*/) const {}
};

template <class Problem>
struct Routes {
  using Times = std::conditional_t<Problem::traits.windows, RouteTimes, NoTimes>;

  int nodes, depots;
  std::int32_t* links;  // (N, 2) the next node along the route, and against it
  std::int32_t* route;  // (N)
  std::int32_t* rank;   // (N) place in the route, the depot's is 0
  double* load;         // (N) of the route up to and including the node
  float* edges;         // (N, 2) cost of the edge to the next node along the route, and against it
  std::int32_t* empty;  // (1) an empty route, -1: none
  Times times;

  NEUOPT_HD static std::size_t bytes(int nodes) {
    return static_cast<std::size_t>(nodes) * (sizeof(double) + 2 * sizeof(float) + 4 * sizeof(std::int32_t)) +
           2 * sizeof(std::int32_t) + Times::bytes(nodes);
  }

  NEUOPT_HD static Routes at(void* workspace, int nodes, int depots) {
    auto* load = reinterpret_cast<double*>(static_cast<std::uint8_t*>(workspace) + Times::bytes(nodes));
    auto* edges = reinterpret_cast<float*>(load + nodes);
    auto* words = reinterpret_cast<std::int32_t*>(edges + 2 * nodes);
    return {.nodes = nodes,
            .depots = depots,
            .links = words,
            .route = words + 2 * nodes,
            .rank = words + 3 * nodes,
            .load = load,
            .edges = edges,
            .empty = words + 4 * nodes,
            .times = Times::at(workspace, nodes)};
  }

  NEUOPT_HD std::int32_t& link(int node, int direction) const { return links[2 * node + direction]; }
  NEUOPT_HD float& edge(int node, int direction) const { return edges[2 * node + direction]; }
  NEUOPT_HD bool is_depot(int node) const { return node < depots; }
  NEUOPT_HD int ahead(int node, int direction) const { return link(node, direction); }
  /// Load of a whole route.
  NEUOPT_HD double total(int of_route) const { return load[link(of_route, 1)]; }
  /// Customers of a route.
  NEUOPT_HD int size(int of_route) const { return rank[link(of_route, 1)]; }
  /// Steps from a node to another of its route in a direction; negative when it lies behind.
  NEUOPT_HD int steps_ahead(int from, int to, int direction) const {
    return direction == 0 ? rank[to] - rank[from] : rank[from] - rank[to];
  }

  /// Puts b next after a in a direction.
  NEUOPT_HD void join(int a, int b, int direction) const {
    link(a, direction) = b;
    link(b, 1 - direction) = a;
  }

  /// Notes the cost and the time of the edge from a to b, which follow one another along the route.
  NEUOPT_HD void set_edge(const env::InstanceView& instance, int a, int b) const {
    edge(a, 0) = edge(b, 1) = search_cost(instance, a, b);
    times.set_travel(instance, a, b);
  }

  /// Walks a route whose links have changed.
  NEUOPT_HD void refresh(const env::InstanceView& instance, int changed) const {
    const auto* info = env::nodes_of<Problem>(instance);
    double sum = 0;
    int place = 0, last = changed;
    NEUOPT_ROLLED
    for (int node = link(changed, 0); node != changed; node = link(node, 0)) {
      set_edge(instance, last, node);
      last = node;
      sum += info[node].demand;
      load[node] = sum;
      rank[node] = ++place;
      route[node] = changed;
    }
    set_edge(instance, last, changed);
    times.refresh(instance, *this, changed);
  }

  /// Keeps an empty route at hand after these two have changed.
  NEUOPT_HD void find_empty(int first, int second) const {
    for (const int changed : {first, second})
      if (link(changed, 0) == changed) *empty = changed;
    if (*empty < 0 || link(*empty, 0) == *empty) return;
    *empty = -1;
    NEUOPT_ROLLED
    for (int depot = 0; depot < depots && *empty < 0; ++depot)
      if (link(depot, 0) == depot) *empty = depot;
  }
};

/// The routes of a tour.
template <class Lanes, class Problem>
NEUOPT_HD void read_routes(Lanes lanes, const env::InstanceView& instance, const std::int32_t* order,
                           const Routes<Problem>& routes) {
  NEUOPT_ROLLED
  for (int p = lanes.first(); p < routes.nodes; p += lanes.stride()) {
    const int depot = order[p];
    if (!routes.is_depot(depot)) continue;
    int last = depot;
    NEUOPT_ROLLED
    for (int q = p + 1; q < routes.nodes && !routes.is_depot(order[q]); ++q) {
      routes.join(last, order[q], 0);
      last = order[q];
    }
    routes.join(last, depot, 0);
    routes.route[depot] = depot;
    routes.rank[depot] = 0;
    routes.load[depot] = 0;
    routes.refresh(instance, depot);
  }
  lanes.sync();
  if (lanes.first() == 0) {
    *routes.empty = -1;
    NEUOPT_ROLLED
    for (int depot = routes.depots - 1; depot >= 0; --depot)
      if (routes.link(depot, 0) == depot) *routes.empty = depot;
  }
  lanes.sync();
}

/// The tour of the routes: depots in order of index, those of empty routes last. For one lane.
template <class Problem>
NEUOPT_HD void write_order(const Routes<Problem>& routes, std::int32_t* order) {
  int depot = 0, p = 0;
  NEUOPT_ROLLED
  for (int r = 0; r < routes.depots; ++r) {
    if (routes.link(r, 0) == r) continue;
    order[p++] = depot++;
    NEUOPT_ROLLED
    for (int node = routes.link(r, 0); node != r; node = routes.link(node, 0)) order[p++] = node;
  }
  while (depot < routes.depots) order[p++] = depot++;
}

}  // namespace neuopt::local
