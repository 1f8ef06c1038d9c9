// The vehicle routing problem with time windows. Routes are those of the CVRP, and every customer wants to be reached
// before its window closes, the depot before the day ends.
//
// Distances are symmetric, so a vehicle may drive a route either way: it drives the way with fewer late stops, then
// with less time warp, then that of the tour. Otherwise an exchange that turns routes round would make all of them
// late.
#pragma once

#include "core/lanes.h"
#include "core/philox.h"
#include "env/gire.h"
#include "env/instance_view.h"
#include "problem/opening_order.h"
#include "problem/packing.h"
#include "problem/search_instance.h"

namespace neuopt::env {

struct Vrptw {
  static constexpr ProblemTraits traits = neuopt::traits(ProblemKind::vrptw);

  struct Node {
    float demand;     // in units of the capacity, 0 at depots
    StopTimes times;  // of a depot: the day
  };
  /// A depot belongs to the route that it starts, and stands for its return.
  struct Route {
    float up_to;           // load of the route up to and including the node, along the tour; 0 at a depot
    float after;           // and after it; at a depot that of the whole route
    std::int32_t travel;   // from the node before, along the tour; at a depot from the route's last customer
    std::int32_t arrival;  // as the route is driven
    std::int32_t slack;    // how much later service may begin, without making anything later than it must be
    bool backwards;        // driven against the tour
    bool late;             // reached after the window closed
    bool returns_late;     // the route does
    std::int32_t wrong;    // at a depot: violating nodes of the route, itself among them
  };

  static Node node(const SearchInstance& instance, int node) {
    const auto at = static_cast<std::size_t>(node);
    return {instance.demand[at], instance.times[at]};
  }
  /// A share of the customers may be violated.
  static float epsilon(const SearchInstance& instance, const GireParameters& gire) {
    return gire.zeta * static_cast<float>(instance.customers());
  }
  NEUOPT_HD static float* demand(Node* node) { return &node->demand; }

  /// Violating nodes: customers that are late or that exceed the capacity, and depots of routes that return late.
  template <class Lanes>
  NEUOPT_HD static float walk(Lanes lanes, const InstanceView& instance, const kopt::TourView& tour, Route* routes) {
    for (int depot = lanes.first(); depot < instance.depots; depot += lanes.stride())
      walk_route(instance, tour, tour.position[depot], routes);
    lanes.sync();
    std::int32_t wrong = 0;
    for (int depot = 0; depot < instance.depots; ++depot) wrong += routes[depot].wrong;
    return static_cast<float>(wrong);
  }

  /// Those of the CVRP, then opening, closing, service, arrival, slack, direction driven, late here, returns late.
  NEUOPT_HD static void write_features(const InstanceView& instance, const Route* routes, const GireParameters& gire,
                                       int node, float* out) {
    const Route& route = routes[node];
    const Node& place = nodes_of<Vrptw>(instance)[node];
    const auto length = [&](std::int32_t ticks) { return static_cast<float>(ticks) * instance.tick_length; };
    out[0] = route.up_to;
    out[1] = place.demand;
    out[2] = route.after;
    out[3] = static_cast<float>(is_depot(instance, node));
    out[4] = static_cast<float>(gire.violation_features & exceeds_capacity(route.up_to - place.demand));
    out[5] = static_cast<float>(gire.violation_features & exceeds_capacity(route.up_to));
    out[6] = length(place.times.opens);
    out[7] = length(place.times.closes);
    out[8] = length(place.times.service);
    out[9] = length(route.arrival);
    out[10] = length(route.slack);
    out[11] = static_cast<float>(route.backwards);
    out[12] = static_cast<float>(gire.violation_features & route.late);
    out[13] = static_cast<float>(gire.violation_features & route.returns_late);
  }

  /// Customers by the opening of their windows, each at the end of the first route where load, window and return still
  /// fit. The last route takes whoever is left. Nothing is random here.
  template <class Lanes>
  NEUOPT_HD static void write_start(Lanes lanes, const InstanceView& instance, const Random&, std::uint32_t,
                                    std::uint32_t, int* order, int* scratch) {
    if (lanes.first() == 0)
      fill_by_opening(Stops{instance}, instance.depots, instance.nodes - instance.depots, order, scratch);
    lanes.sync();
  }

 private:
  /// What the start asks.
  struct Stops {
    const InstanceView& instance;

    NEUOPT_HD const StopTimes& times(int node) const { return nodes_of<Vrptw>(instance)[node].times; }
    NEUOPT_HD float demand(int node) const { return nodes_of<Vrptw>(instance)[node].demand; }
    NEUOPT_HD std::int32_t travel(int from, int to) const { return travel_time(instance, from, to); }
  };

  /// The customers of a route by the order in which they are driven to.
  struct Drive {
    const kopt::TourView& tour;
    int first, count;  // position of the first customer along the tour, and how many there are
    bool backwards;

    NEUOPT_HD int node(int stop) const { return tour.order[backwards ? first + count - 1 - stop : first + stop]; }
    /// To a stop from the one before it; stop `count` is the return.
    NEUOPT_HD std::int32_t travel(const Route* routes, int depot, int stop) const {
      if (stop == (backwards ? 0 : count)) return routes[depot].travel;
      return routes[backwards ? node(stop - 1) : node(stop)].travel;
    }
  };

  NEUOPT_HD static RouteClock time_drive(const Node* nodes, const Drive& drive, int depot, const Route* routes) {
    RouteClock clock;
    for (int stop = 0; stop < drive.count; ++stop)
      clock.visit(drive.travel(routes, depot, stop), nodes[drive.node(stop)].times);
    clock.visit(drive.travel(routes, depot, drive.count), nodes[depot].times);
    return clock;
  }

  NEUOPT_HD static void walk_route(const InstanceView& instance, const kopt::TourView& tour, int start, Route* routes) {
    const Node* nodes = nodes_of<Vrptw>(instance);
    const int depot = tour.order[start];
    float load = 0;
    int end = start + 1, last = depot;
    for (; end < tour.nodes && !is_depot(instance, tour.order[end]); ++end) {
      const int node = tour.order[end];
      load += nodes[node].demand;
      routes[node].up_to = load;
      routes[node].travel = travel_time(instance, last, node);
      last = node;
    }
    routes[depot] = {};
    routes[depot].after = load;
    if (last == depot) {  // an empty route has no time
      routes[depot].slack = nodes[depot].times.closes;
      return;
    }
    routes[depot].travel = travel_time(instance, last, depot);
    for (int p = start + 1; p < end; ++p) routes[tour.order[p]].after = load - routes[tour.order[p]].up_to;
    Drive drive{tour, start + 1, end - start - 1, false}, back = drive;
    back.backwards = true;
    const bool backwards =
        better_drive(time_drive(nodes, back, depot, routes), time_drive(nodes, drive, depot, routes));
    write_drive(nodes, backwards ? back : drive, depot, routes);
  }

  /// Times of a route as it is driven, and how many of its nodes violate something.
  NEUOPT_HD static void write_drive(const Node* nodes, const Drive& drive, int depot, Route* routes) {
    RouteClock clock;
    std::int32_t wrong = 0;
    for (int stop = 0; stop < drive.count; ++stop) {
      Route& route = routes[drive.node(stop)];
      route.arrival = clock.visit(drive.travel(routes, depot, stop), nodes[drive.node(stop)].times);
      route.late = clock.warped > 0;
      route.backwards = drive.backwards;
      wrong += route.late | exceeds_capacity(route.up_to);
    }
    Route& home = routes[depot];
    home.arrival = clock.visit(drive.travel(routes, depot, drive.count), nodes[depot].times);
    home.late = home.returns_late = clock.warped > 0;
    home.backwards = drive.backwards;
    home.wrong = wrong + home.late;
    std::int32_t slack = home.slack = home.late ? 0 : nodes[depot].times.closes - home.arrival;
    for (int stop = drive.count - 1; stop >= 0; --stop) {
      Route& route = routes[drive.node(stop)];
      const StopTimes& times = nodes[drive.node(stop)].times;
      const std::int32_t wait = route.arrival < times.opens ? times.opens - route.arrival : 0;
      const std::int32_t here = route.late ? 0 : times.closes - route.arrival - wait;
      route.slack = here < slack ? here : slack;
      slack = route.slack + wait;
      route.returns_late = home.late;
    }
  }
};

}  // namespace neuopt::env
