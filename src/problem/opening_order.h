// The start of the paper's protocol for problems with time windows: customers by the opening of their windows, each at
// the end of the first route where load, window and return still fit.
#pragma once

#include "problem/packing.h"
#include "problem/route_clock.h"

namespace neuopt {

/// Writes the tour into `order` and returns how many routes it has. Nodes are depots, then customers; the last depot's
/// route takes whoever is left, fitting or not. `stops` says times(node), demand(node) and travel(from, to); `waiting`
/// has room for all customers.
template <class Stops>
NEUOPT_HD int fill_by_opening(const Stops& stops, int depots, int customers, int* order, int* waiting) {
  for (int i = 0; i < customers; ++i) {  // sorted by insertion; ties keep their order
    const int node = depots + i;
    int at = i;
    for (; at > 0 && stops.times(waiting[at - 1]).opens > stops.times(node).opens; --at) waiting[at] = waiting[at - 1];
    waiting[at] = node;
  }
  int p = 0, left = customers, routes = 0;
  for (int depot = 0; depot < depots; ++depot) {
    routes += left > 0;
    order[p++] = depot;
    const bool takes_all = depot == depots - 1;
    RouteClock clock;
    float load = 0;
    int last = depot, kept = 0;
    for (int i = 0; i < left; ++i) {  // whoever does not fit waits for the next route
      const int node = waiting[i];
      const float with = load + stops.demand(node);
      RouteClock there = clock, home;
      there.visit(stops.travel(last, node), stops.times(node));
      home = there;
      home.visit(stops.travel(node, depot), stops.times(depot));
      if (!takes_all && (home.late > 0 || with > kLoadLimit)) {
        waiting[kept++] = node;
        continue;
      }
      order[p++] = node;
      clock = there;
      load = with;
      last = node;
    }
    left = kept;
  }
  return routes;
}

}  // namespace neuopt
