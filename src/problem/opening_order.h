// The start of the paper's protocol for problems with time windows: customers by the opening of their windows, each at
// the end of the first route where load, window and return still fit.
#pragma once

#include "problem/packing.h"
#include "problem/route_clock.h"

namespace neuopt {

/// Customers by the opening of their windows, ties by index: by insertion, of those far apart first.
template <class Stops>
NEUOPT_HD void sort_by_opening(const Stops& stops, int depots, int customers, int* waiting) {
  const auto opens_after = [&](int a, int b) {
    const std::int32_t opens_a = stops.times(a).opens, opens_b = stops.times(b).opens;
    return opens_a != opens_b ? opens_a > opens_b : a > b;
  };
  for (int i = 0; i < customers; ++i) waiting[i] = depots + i;
  int step = 1;
  while (step < customers / 3) step = 3 * step + 1;
  for (; step > 0; step /= 3)
    for (int i = step; i < customers; ++i) {
      const int node = waiting[i];
      int at = i;
      for (; at >= step && opens_after(waiting[at - step], node); at -= step) waiting[at] = waiting[at - step];
      waiting[at] = node;
    }
}

/// Whether a start may still be built: always. On a host others may look at the clock.
struct WithoutHaste {
  NEUOPT_HD bool operator()() const { return true; }
};

/// Writes the tour into `order` and returns how many routes it has. Nodes are depots, then customers; the last depot's
/// route takes whoever is left, fitting or not. `stops` says times(node), demand(node) and travel(from, to); `waiting`
/// has room for all customers. Asked before each route; when `go_on` says no, the tour is unfinished and -1 is
/// returned.
template <class Stops, class GoOn = WithoutHaste>
NEUOPT_HD int fill_by_opening(const Stops& stops, int depots, int customers, int* order, int* waiting,
                              GoOn&& go_on = {}) {
  sort_by_opening(stops, depots, customers, waiting);
  int p = 0, left = customers, routes = 0;
  for (int depot = 0; depot < depots; ++depot) {
    if (!go_on()) return -1;
    routes += left > 0;
    order[p++] = depot;
    const bool takes_all = depot == depots - 1;
    RouteClock clock;
    float load = 0;
    int last = depot, kept = 0;
    for (int i = 0; i < left; ++i) {  // whoever does not fit waits for the next route
      const int node = waiting[i];
      const float with = load + stops.demand(node);
      RouteClock there = clock;
      // Most are told by load and clock alone: distances take the longest here.
      bool fits = !exceeds_capacity(with) && clock.time <= stops.times(node).closes;
      if (fits || takes_all) {
        there.visit(stops.travel(last, node), stops.times(node));
        fits = fits && there.late == 0;
      }
      if (fits) {
        RouteClock home = there;
        home.visit(stops.travel(node, depot), stops.times(depot));
        fits = home.late == 0;
      }
      if (!fits && !takes_all) {
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
