// A tour in an array that neighbourhoods change by turning paths round, always the shorter of the two that give the
// same tour: reversals are all that ever happens to it, so that a journal of them can be undone.
#pragma once

#include "core/lanes.h"
#include "kopt/tour.h"

namespace neuopt::local {

/// Forgets what happened: for searches that never go back. A journal has this one function.
struct NoReversals {
  NEUOPT_HD void reversed(int /*first*/, int /*length*/) const {}
};

/// The next node in a direction: 0 along the tour, 1 against it.
NEUOPT_HD int ahead(const kopt::TourView& tour, int node, int direction) {
  const int step = direction == 0 ? 1 : -1;
  return tour.order[kopt::wrap(tour.position[node] + step, tour.nodes)];
}

/// Edges from a node to another in a direction.
NEUOPT_HD int steps_ahead(const kopt::TourView& tour, int from, int to, int direction) {
  const int steps = tour.position[to] - tour.position[from];
  return kopt::wrap(direction == 0 ? steps : -steps, tour.nodes);
}

/// Turns round `length` nodes from a position on. Its own inverse.
template <class Lanes>
NEUOPT_HD void reverse_positions(Lanes lanes, const kopt::TourView& tour, int first, int length) {
  NEUOPT_ROLLED
  for (int i = lanes.first(); i < length / 2; i += lanes.stride()) {
    const int p = kopt::wrap_above(first + i, tour.nodes);
    const int q = kopt::wrap_above(first + length - 1 - i, tour.nodes);
    const int front = tour.order[p], back = tour.order[q];
    tour.order[p] = back;
    tour.order[q] = front;
    tour.position[back] = p;
    tour.position[front] = q;
  }
  lanes.sync();
}

/// Replaces the edges (a, b) and (c, d) by (a, c) and (b, d). b is next after a and d next after c in one and the same
/// direction, whichever. Lanes have synchronised before the call and are after it.
template <class Lanes, class Journal>
NEUOPT_HD void exchange_edges(Lanes lanes, const kopt::TourView& tour, Journal& journal, int a, int b, int c, int d) {
  const bool along = ahead(tour, a, 0) == b && ahead(tour, c, 0) == d;
  int first = tour.position[along ? b : c], last = tour.position[along ? c : b];
  int length = kopt::wrap(last - first, tour.nodes) + 1;
  if (2 * length > tour.nodes) {  // the rest of the tour, from d round to a
    first = tour.position[along ? d : a];
    last = tour.position[along ? a : d];
    length = kopt::wrap(last - first, tour.nodes) + 1;
  }
  lanes.sync();
  if (length > 1 && lanes.first() == 0) journal.reversed(first, length);
  reverse_positions(lanes, tour, first, length);
}

/// Turns the array so that node 0 is in front, as the search wants it. `position` is not kept.
template <class Lanes>
NEUOPT_HD void put_zero_first(Lanes lanes, const kopt::TourView& tour) {
  const int shift = tour.position[0];
  lanes.sync();
  NEUOPT_ROLLED
  for (int p = lanes.first(); p < tour.nodes; p += lanes.stride())
    tour.position[kopt::wrap(p - shift, tour.nodes)] = tour.order[p];
  lanes.sync();
  NEUOPT_ROLLED
  for (int p = lanes.first(); p < tour.nodes; p += lanes.stride()) tour.order[p] = tour.position[p];
  lanes.sync();
}

}  // namespace neuopt::local
