// What the neighbourhoods of problems with routes see.
#pragma once

#include "local/best_move.h"
#include "local/neighbours.h"
#include "local/routing/routes.h"

namespace neuopt::local {

template <class Problem>
struct RoutesView {
  static constexpr bool kTimed = Problem::traits.windows;

  env::InstanceView instance;
  NeighbourView neighbours;
  kopt::FixedEdges fixed;
  Routes<Problem> routes;
  double penalty;  // of one unit of load above the capacity, and of one length of time warp

  NEUOPT_HD double cost(int a, int b) const { return search_cost(instance, a, b); }
  /// Cost of the edge that leaves a node in a direction.
  NEUOPT_HD double edge(int node, int direction) const { return routes.edge(node, direction); }
  NEUOPT_HD bool is_free(int a, int b) const { return !fixed.has(a, b); }
  NEUOPT_HD int ahead(int node, int direction) const { return routes.ahead(node, direction); }
  NEUOPT_HD bool is_depot(int node) const { return routes.is_depot(node); }
  NEUOPT_HD int route(int node) const { return routes.route[node]; }
  NEUOPT_HD double demand(int node) const { return env::nodes_of<Problem>(instance)[node].demand; }

  /// An overloaded route costs something for being so at all: units of load may be very small.
  NEUOPT_HD static double excess(double load) {
    constexpr double kOverAtAll = 1e-5;
    const double over = load - static_cast<double>(kLoadLimit);
    return over > 0 ? kOverAtAll + over : 0;
  }
  NEUOPT_HD double total(int node) const { return routes.total(routes.route[node]); }
  NEUOPT_HD double load_cost(double load_a, double load_b) const { return penalty * (excess(load_a) + excess(load_b)); }

  /// A late route costs something for being late at all: ticks may be very short.
  NEUOPT_HD double time_cost(std::int64_t warp) const {
    constexpr double kLateAtAll = 1e-3;  // lengths
    return warp > 0 ? penalty * (kLateAtAll + static_cast<double>(warp) * instance.tick_length) : 0;
  }
  /// What the times of two routes, which may be one, cost now. Nothing without time windows.
  NEUOPT_HD double time_cost_now(int route_a, int route_b) const {
    if constexpr (kTimed)
      return time_cost(routes.times.warp[route_a]) + (route_a == route_b ? 0 : time_cost(routes.times.warp[route_b]));
    else
      return 0;
  }
  /// What the times of a new route would cost; more than `most` where it is more.
  NEUOPT_HD double new_time_cost(const NewRoute& route, double most) const {
    constexpr double kMostTicks = 9e15, kMuch = 1e300;
    const double ticks = most / (penalty * static_cast<double>(instance.tick_length));
    const auto limit =
        ticks < kMostTicks ? static_cast<std::int64_t>(ticks) + 1 : static_cast<std::int64_t>(kMostTicks);
    const std::int64_t warp = least_warp(instance, routes, route, limit);
    return warp > limit ? kMuch : time_cost(warp);
  }

  /// Whether customer e may come to stand next to c in another route, where c keeps all that lies behind it in a
  /// direction: not where that alone makes the route so late that no move makes up for it. `now`: what loads and times
  /// of the two routes cost. Whichever way the route will be driven, its time warp is at least that up to e, or that
  /// from e on.
  NEUOPT_HD bool may_stand(int e, int c, int direction, std::int32_t travel, double now) const {
    // Lengths, far more than the four edges have that a move takes out, on any map. By a matrix of wild distances a
    // move may gain more; no route is made late for that.
    constexpr double kMostGain = 500;
    const StopTimes& times = RouteTimes::stop(instance, e);
    const RouteTimes::Side left = routes.times.left, on = routes.times.ahead;
    const int behind = 2 * c + direction, onward = 2 * c + 1 - direction;
    const std::int32_t late_here = left.time[behind] + travel - times.closes;
    const std::int32_t late_there = times.opens + times.service + travel - on.time[onward];
    const std::int64_t here = left.warp[behind] + (late_here > 0 ? late_here : 0);
    const std::int64_t there = on.warp[onward] + (late_there > 0 ? late_there : 0);
    return time_cost(here < there ? here : there) <= now + kMostGain;
  }

  /// What loads and times of the routes of two nodes cost: no change of them saves more. Loads cost nothing in one
  /// route, where none changes.
  NEUOPT_HD double cost_of_routes(int a, int b) const {
    return (route(a) == route(b) ? 0 : load_cost(total(a), total(b))) + time_cost_now(route(a), route(b));
  }

  /// Offers a move that changes times alone besides `delta`, from which what they cost now is taken off already.
  /// `new_route(i)` is the i-th of the new routes.
  template <class Route>
  NEUOPT_HD void offer(double delta, int number, int count, Route&& new_route, Move& best) const {
    if constexpr (kTimed) {
      NEUOPT_ROLLED
      for (int i = 0; i < count && delta <= best.delta; ++i) delta += new_time_cost(new_route(i), best.delta - delta);
    }
    best.offer(delta, number);
  }
};

/// A pair of customers whose edge a move would add, and the direction in which the first one gives up an edge. Small,
/// so that lanes can hand it on.
struct RoutePair {
  int node, neighbour;
  int unit;    // twice the neighbour's index, plus the direction
  float cost;  // of the new edge
  int excess;  // not 0: a route of the two is overloaded or late, so that loads or times can save something

  NEUOPT_HD int direction() const { return unit % 2; }
};

}  // namespace neuopt::local
