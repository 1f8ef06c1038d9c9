// Times along routes, in whole ticks: for every node and either way to drive, when a vehicle leaves it, and by when it
// should come so that what lies ahead is in time. A new route made of a beginning, some stops and an end of present
// routes is timed without walking its beginning and its end.
//
// A route costs what the better way to drive it costs: that with less time warp. So neither way is special, and a move
// may turn routes as it likes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "env/instance_view.h"
#include "env/problems/vrptw.h"

namespace neuopt::local {

/// Where there are no windows there is nothing to know.
struct NoTimes {
  NEUOPT_HD static std::size_t bytes(int) { return 0; }
  NEUOPT_HD static NoTimes at(void*, int) { return {}; }
  NEUOPT_HD void set_travel(const env::InstanceView&, int, int) const {}
  template <class Routes>
  NEUOPT_HD void refresh(const env::InstanceView&, const Routes&, int) const {}
};

struct RouteTimes {
  /// What lies behind a vehicle that leaves a node, or ahead of one that arrives there.
  struct Side {
    std::int64_t* warp;  // (N, 2) time warp so far, the node's own among it; from here on, coming in time
    std::int32_t* time;  // (N, 2) when it leaves; by when it should arrive: each tick later is a tick of time warp
  };
  Side left, ahead;      // by direction; depots: at the beginning of a route, and at its end
  std::int64_t* warp;    // (N) at depots: of the route, driven the better way
  std::int32_t* travel;  // (N, 2) to the next node along the route, and against it

  NEUOPT_HD static std::size_t bytes(int nodes) {
    return static_cast<std::size_t>(nodes) * (5 * sizeof(std::int64_t) + 6 * sizeof(std::int32_t));
  }

  NEUOPT_HD static RouteTimes at(void* workspace, int nodes) {
    auto* warps = static_cast<std::int64_t*>(workspace);
    auto* times = reinterpret_cast<std::int32_t*>(warps + 5 * nodes);
    return {.left = {.warp = warps, .time = times},
            .ahead = {.warp = warps + 2 * nodes, .time = times + 2 * nodes},
            .warp = warps + 4 * nodes,
            .travel = times + 4 * nodes};
  }

  NEUOPT_HD static const StopTimes& stop(const env::InstanceView& instance, int node) {
    static_assert(written_for(3));  // the VRPTW alone has times
    return env::nodes_of<env::Vrptw>(instance)[node].times;
  }

  /// Notes the time from a to b, which follow one another along the route.
  NEUOPT_HD void set_travel(const env::InstanceView& instance, int a, int b) const {
    travel[2 * a] = travel[2 * b + 1] = env::travel_time(instance, a, b);
  }

  /// Walks a route, whose links and travel times are up to date, both ways.
  template <class Routes>
  NEUOPT_HD void refresh(const env::InstanceView& instance, const Routes& routes, int route) const {
    NEUOPT_ROLLED
    for (int direction = 0; direction < 2; ++direction) {
      left.time[2 * route + direction] = 0;
      left.warp[2 * route + direction] = ahead.warp[2 * route + direction] = 0;
      ahead.time[2 * route + direction] = stop(instance, route).closes;
      RouteClock clock;
      std::int32_t by = stop(instance, route).closes;  // the way home is against this direction
      std::int64_t lost = 0;
      int last = route;
      NEUOPT_ROLLED
      for (int node = routes.link(route, direction); node != route; node = routes.link(node, direction)) {
        const StopTimes times = stop(instance, node);
        const std::int32_t there = travel[2 * last + direction];
        clock.visit(there, times);
        left.time[2 * node + direction] = clock.time;
        left.warp[2 * node + direction] = clock.warp;
        by -= there + times.service;  // by when service should begin
        if (by < times.opens) {
          lost += times.opens - by;
          by = times.opens;
        }
        if (by > times.closes) by = times.closes;
        ahead.time[2 * node + 1 - direction] = by;
        ahead.warp[2 * node + 1 - direction] = lost;
        last = node;
      }
      clock.visit(travel[2 * last + direction], stop(instance, route));
      if (direction == 0 || clock.warp < warp[route]) warp[route] = clock.warp;
    }
  }
};

/// Stops in a row of a new route that are also in a row of a present one: `count` nodes from one to another that lies
/// ahead of it in a direction.
struct Stretch {
  int first, last, direction, count;

  NEUOPT_HD Stretch turned() const { return {last, first, 1 - direction, count}; }
  NEUOPT_HD Stretch turned_if(bool turn) const { return turn ? turned() : *this; }
};

/// A route that is driven as now up to `from` in a direction, then through the stretches, then on from `to` as now.
struct NewRoute {
  int from, from_direction;
  int to, to_direction;
  int count;  // of stretches
  Stretch through[3];
};

/// Time warp of a new route that is driven as it says or, turned, the other way; or more than `most`, if it is more.
template <class Routes>
NEUOPT_HD std::int64_t warp_of(const env::InstanceView& instance, const Routes& routes, const NewRoute& route,
                               bool turned, std::int64_t most) {
  const RouteTimes& times = routes.times;
  int last = turned ? route.to : route.from;
  const int begin = 2 * last + (turned ? 1 - route.to_direction : route.from_direction);
  const int to = turned ? route.from : route.to;
  const int end = 2 * to + (turned ? 1 - route.from_direction : route.to_direction);
  RouteClock clock;
  clock.time = times.left.time[begin];
  clock.warp = times.left.warp[begin] + times.ahead.warp[end];
  NEUOPT_ROLLED
  for (int i = 0; i < route.count; ++i) {
    const Stretch stretch = route.through[turned ? route.count - 1 - i : i].turned_if(turned);
    int node = stretch.first;
    NEUOPT_ROLLED
    for (int k = 0; k < stretch.count; ++k) {
      if (clock.warp > most) return clock.warp;
      const std::int32_t there =
          k == 0 ? env::travel_time(instance, last, node) : times.travel[2 * last + stretch.direction];
      clock.visit(there, RouteTimes::stop(instance, node));
      last = node;
      node = routes.ahead(node, stretch.direction);
    }
  }
  if (clock.warp > most) return clock.warp;
  const std::int32_t late = clock.time + env::travel_time(instance, last, to) - times.ahead.time[end];
  return clock.warp + (late > 0 ? late : 0);
}

/// Time warp of a new route that is driven the better way; or more than `most`, if it is more.
template <class Routes>
NEUOPT_HD std::int64_t least_warp(const env::InstanceView& instance, const Routes& routes, const NewRoute& route,
                                  std::int64_t most) {
  const std::int64_t along = warp_of(instance, routes, route, false, most);
  if (along == 0) return 0;
  const std::int64_t against = warp_of(instance, routes, route, true, most < along ? most : along);
  return against < along ? against : along;
}

}  // namespace neuopt::local
