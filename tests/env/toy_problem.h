// A problem that only tests know: routes from a depot, none of them longer than a limit, with a whole number of minutes
// of service at each customer. It shows what a problem must bring along, and that nothing else needs to know it.
#pragma once

#include <cstdint>

#include "env/problems/problems.h"

namespace neuopt::test {

struct ToyProblem {
  static constexpr ProblemTraits traits{.name = "toy",
                                        .label = "toy problem",
                                        .places = "customers",
                                        .depots = true,
                                        .demands = false,
                                        .windows = false,
                                        .constrained = true,
                                        .features = 4,
                                        .instance_ending = "",
                                        .solution_ending = ""};
  static constexpr float kLimit = 2;          // length of a route
  static constexpr float kMinute = 1 / 64.f;  // as a length

  struct Node {
    std::int32_t minutes;  // of service, 0 at depots
  };
  struct Route {
    float length;  // of the route up to the end of the service at the node; at a depot that of the whole route
  };

  NEUOPT_HD static float* demand(Node*) { return nullptr; }

  /// Violation: the number of routes that are too long.
  template <class Lanes>
  NEUOPT_HD static float walk(Lanes lanes, const env::InstanceView& instance, const kopt::TourView& tour,
                              Route* routes) {
    const Node* nodes = env::nodes_of<ToyProblem>(instance);
    for (int depot = lanes.first(); depot < instance.depots; depot += lanes.stride()) {
      double length = 0;
      int last = depot;
      for (int p = tour.position[depot] + 1; p < tour.nodes && !env::is_depot(instance, tour.order[p]); ++p) {
        const int node = tour.order[p];
        length += env::edge_cost(instance, last, node) + kMinute * static_cast<float>(nodes[node].minutes);
        routes[node].length = static_cast<float>(length);
        last = node;
      }
      routes[depot].length = static_cast<float>(length + env::edge_cost(instance, last, depot));
    }
    lanes.sync();
    int too_long = 0;
    for (int depot = 0; depot < instance.depots; ++depot) too_long += routes[depot].length > kLimit;
    return static_cast<float>(too_long);
  }

  NEUOPT_HD static void write_features(const env::InstanceView& instance, const Route* routes,
                                       const env::GireParameters&, int node, float* out) {
    out[0] = routes[node].length;
    out[1] = env::is_depot(instance, node) ? 1.0f : 0.0f;
  }

  /// One customer a route, as far as the depots reach.
  template <class Lanes>
  NEUOPT_HD static void write_start(Lanes lanes, const env::InstanceView& instance, const Random&, std::uint32_t,
                                    std::uint32_t, int* order) {
    if (lanes.first() == 0) {
      int p = 0, depot = 0;
      for (int node = instance.depots; node < instance.nodes; ++node) {
        if (depot < instance.depots) order[p++] = depot++;
        order[p++] = node;
      }
      while (depot < instance.depots) order[p++] = depot++;
    }
    lanes.sync();
  }
};

}  // namespace neuopt::test
