// The capacitated vehicle routing problem. A tour visits copies of the depot, each of which starts a route; a route
// whose load exceeds the capacity makes the tour infeasible by the excess.
#pragma once

#include <numeric>

#include "core/lanes.h"
#include "core/philox.h"
#include "env/gire.h"
#include "env/instance_view.h"
#include "problem/packing.h"
#include "problem/search_instance.h"

namespace neuopt::env {

struct Cvrp {
  static constexpr ProblemTraits traits = neuopt::traits(ProblemKind::cvrp);

  struct Node {
    float demand;  // in units of the capacity, 0 at depots
  };
  /// A depot belongs to the route that it starts.
  struct Route {
    float up_to;  // load of the route up to and including the node; 0 at a depot
    float after;  // load of the route after the node; at a depot that of the whole route
  };

  static Node node(const SearchInstance& instance, int node) {
    return {instance.demand[static_cast<std::size_t>(node)]};
  }
  /// The paper's rule: a share of the total demand.
  static float epsilon(const SearchInstance& instance, const GireParameters& gire) {
    return static_cast<float>(gire.zeta * std::accumulate(instance.demand.begin(), instance.demand.end(), 0.0));
  }
  NEUOPT_HD static float* demand(Node* node) { return &node->demand; }

  template <class Lanes>
  NEUOPT_HD static float walk(Lanes lanes, const InstanceView& instance, const kopt::TourView& tour, Route* routes) {
    compute_loads(lanes, instance, tour, routes);
    return total_excess(instance, routes);
  }

  /// Load up to the node, demand, load after it, depot, and the two violation indicators (VI) of GIRE.
  NEUOPT_HD static void write_features(const InstanceView& instance, const Route* routes, const GireParameters& gire,
                                       int node, float* out) {
    const float up_to = routes[node].up_to;
    const float demand = nodes_of<Cvrp>(instance)[node].demand;
    out[0] = up_to;
    out[1] = demand;
    out[2] = routes[node].after;
    // Plain conversions of flags: branches on them would be mispredicted after every exchange.
    out[3] = static_cast<float>(is_depot(instance, node));
    out[4] = static_cast<float>(gire.violation_features & exceeds_capacity(up_to - demand));
    out[5] = static_cast<float>(gire.violation_features & exceeds_capacity(up_to));
  }

  /// The customers in index order, a new route whenever the next one does not fit, unused depots at the end. Nothing is
  /// random here.
  template <class Lanes>
  NEUOPT_HD static void write_start(Lanes lanes, const InstanceView& instance, const Random&, std::uint32_t,
                                    std::uint32_t, int* order, int*) {
    if (lanes.first() == 0) {
      int p = 0, depot = 0;
      OrderPacking packing;
      order[p++] = depot++;
      for (int node = instance.depots; node < instance.nodes; ++node) {
        packing.add(nodes_of<Cvrp>(instance)[node].demand);
        if (packing.route == depot && depot < instance.depots) order[p++] = depot++;
        order[p++] = node;
      }
      while (depot < instance.depots) order[p++] = depot++;
    }
    lanes.sync();
  }

 private:
  /// Each route is walked on its own.
  template <class Lanes>
  NEUOPT_HD static void compute_loads(Lanes lanes, const InstanceView& instance, const kopt::TourView& tour,
                                      Route* routes) {
    const Node* nodes = nodes_of<Cvrp>(instance);
    for (int depot = lanes.first(); depot < instance.depots; depot += lanes.stride()) {
      const int start = tour.position[depot];
      float load = 0;
      int end = start + 1;
      for (; end < tour.nodes && !is_depot(instance, tour.order[end]); ++end) {
        load += nodes[tour.order[end]].demand;
        routes[tour.order[end]].up_to = load;
      }
      routes[depot].up_to = 0;
      for (int p = start; p < end; ++p) routes[tour.order[p]].after = load - routes[tour.order[p]].up_to;
    }
    lanes.sync();
  }

  /// The same, to the bit, for one lane: two passes over the tour without a branch at the end of each route. Where
  /// routes end is unpredictable after an exchange, and mispredicted branches cost more than the sums.
  NEUOPT_HD static void compute_loads(SerialLanes, const InstanceView& instance, const kopt::TourView& tour,
                                      Route* routes) {
    const Node* nodes = nodes_of<Cvrp>(instance);
    const float most_before[2] = {1e30f, 0.0f};  // a depot forgets the load before it, a customer keeps it
    float load = 0;
    for (int p = 0; p < tour.nodes; ++p) {
      const int node = tour.order[p];
      const float most = most_before[is_depot(instance, node)];
      load = (load < most ? load : most) + nodes[node].demand;
      routes[node].up_to = load;
    }
    int last_of_route = 0;
    bool ends_route = true;
    for (int p = tour.nodes - 1; p >= 0; --p) {
      const int node = tour.order[p];
      last_of_route = ends_route ? node : last_of_route;
      routes[node].after = routes[last_of_route].up_to - routes[node].up_to;
      ends_route = is_depot(instance, node);
    }
  }

  /// Sum over routes of what exceeds the capacity (and its tolerance); 0 for a feasible tour.
  NEUOPT_HD static float total_excess(const InstanceView& instance, const Route* routes) {
    float violation = 0;
    for (int depot = 0; depot < instance.depots; ++depot) {
      const float excess = routes[depot].after - kLoadLimit;
      violation += excess > 0 ? excess : 0.0f;
    }
    return violation;
  }
};

}  // namespace neuopt::env
