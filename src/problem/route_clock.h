// Time along a route, in whole ticks since the depot opens, once for search, starts and local search. Travel takes what
// travel_ticks says. Waiting is allowed. Who comes too late begins at the end of the window all the same (time warp),
// so that one late stop does not make all stops after it late.
#pragma once

#include <cstdint>

#include "core/host_device.h"

namespace neuopt {

/// When a node may be served and how long it takes.
struct StopTimes {
  std::int32_t opens, closes, service;
};

/// How edge costs become ticks.
struct TickRule {
  double per_cost = 0;  // ticks for one unit of cost
  bool whole = false;   // costs are whole numbers of ticks; otherwise travel is rounded up
};

/// Longer than any day (problem/search_times.h), short enough for sums of three.
inline constexpr std::int32_t kLongTravel = 1 << 29;

/// Rounding up leaves room for what single precision changes in places.
NEUOPT_HD std::int32_t travel_ticks(const TickRule& rule, double cost) {
  const double ticks = cost * rule.per_cost + (rule.whole ? 0.5 : 1.5);
  return ticks < kLongTravel ? static_cast<std::int32_t>(ticks) : kLongTravel;
}

/// A vehicle on its way.
struct RouteClock {
  std::int32_t time = 0;    // at which it leaves the last stop
  std::int32_t late = 0;    // stops that it reached too late, the return among them
  std::int64_t warp = 0;    // by how much in all
  std::int32_t warped = 0;  // by how much at the last stop

  /// Drives on to a stop and returns the time of arrival.
  NEUOPT_HD std::int32_t visit(std::int32_t travel, const StopTimes& stop) {
    const std::int32_t arrival = time + travel;
    warped = arrival > stop.closes ? arrival - stop.closes : 0;
    late += warped > 0;
    warp += warped;
    time = (arrival < stop.opens ? stop.opens : arrival - warped) + stop.service;
    return arrival;
  }
};

/// Whether a drive is better than another: fewer late stops, then less time warp.
NEUOPT_HD bool better_drive(const RouteClock& a, const RouteClock& b) {
  return a.late != b.late ? a.late < b.late : a.warp < b.warp;
}

}  // namespace neuopt
