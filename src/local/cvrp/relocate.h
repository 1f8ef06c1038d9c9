// Relocate: a segment of up to three customers goes between two nodes of its own or another route, either way round, or
// to an empty route. Named and found as in Or-opt: the segment e .. w between p and n goes between c and c', e next to
// c; when c' is a depot, which has no neighbours to look at, e looks however far c is.
#pragma once

#include "local/cvrp/looking.h"

namespace neuopt::local {

inline constexpr int kRelocateSegments = 5;  // with one given end: one customer, two or three in either direction

struct CvrpSegment {
  int end, other_end;  // e, w
  int before, after;   // p, n
  int direction;       // from e to w
  int length;          // 0: there is no such segment
  double saved;        // by taking it out
  double load;
};

NEUOPT_HD CvrpSegment cvrp_segment(const CvrpView& view, int end, int which) {
  CvrpSegment segment{end, end, 0, 0, which < 3 ? 0 : 1, which < 3 ? which + 1 : which - 1, 0, view.demand(end)};
  for (int i = 1; i < segment.length; ++i) {
    segment.other_end = view.ahead(segment.other_end, segment.direction);
    if (view.is_depot(segment.other_end)) {
      segment.length = 0;
      return segment;
    }
    segment.load += view.demand(segment.other_end);
  }
  segment.before = view.ahead(end, 1 - segment.direction);
  segment.after = view.ahead(segment.other_end, segment.direction);
  segment.saved = view.edge(end, 1 - segment.direction) + view.edge(segment.other_end, segment.direction) -
                  view.cost(segment.before, segment.after);
  return segment;
}

NEUOPT_HD bool in_segment(const CvrpView& view, const CvrpSegment& segment, int node) {
  if (view.route(node) != view.route(segment.end)) return false;
  const int steps = view.routes.steps_ahead(segment.end, node, segment.direction);
  return steps >= 0 && steps < segment.length;
}

NEUOPT_HD bool is_free(const CvrpView& view, const CvrpSegment& segment) {
  return view.is_free(segment.before, segment.end) && view.is_free(segment.other_end, segment.after);
}

/// Offers to put the segment between c and the node next to it in a direction. `delta` is what is known without the
/// edge from its other end to that node.
NEUOPT_HD void offer_place(const CvrpView& view, const CvrpSegment& segment, int c, int c_direction, double delta,
                           int number, Move& best) {
  if (!(delta < best.delta)) return;
  const int c_next = view.ahead(c, c_direction);
  if (in_segment(view, segment, c) || in_segment(view, segment, c_next)) return;
  delta += view.cost(segment.other_end, c_next);
  if (delta < best.delta && is_free(view, segment) && view.is_free(c, c_next)) best.offer(delta, number);
}

/// Offers to put a segment with an end at one node of the pair beside the other one, c, in the pair's direction.
NEUOPT_HD void offer_relocate(const CvrpView& view, const CvrpPair& pair, const CvrpSegment& segment, int c, int number,
                              Move& best) {
  if (segment.length == 0) return;
  double delta = pair.cost - view.edge(c, pair.direction) - segment.saved;
  if (!pair.same_route) {
    const double change = c == pair.node ? segment.load : -segment.load;
    delta += view.load_cost(pair.node_load + change, pair.neighbour_load - change) - pair.load_cost;
  }
  offer_place(view, segment, c, pair.direction, delta, number, best);
}

/// Offers to give the segment a route of its own.
NEUOPT_HD void offer_new_route(const CvrpView& view, const CvrpSegment& segment, int number, Move& best) {
  const int empty = *view.routes.empty;
  if (empty < 0 || segment.length == 0) return;
  if (view.is_depot(segment.before) && view.is_depot(segment.after)) return;  // it has one
  const double load = view.total(segment.end);
  const double delta = view.cost(empty, segment.end) - segment.saved +
                       view.load_cost(load - segment.load, segment.load) - view.load_cost(load, 0);
  offer_place(view, segment, empty, 0, delta, number, best);
}

/// Takes out a segment, which keeps its inner links.
NEUOPT_HD void take_out(const Routes& routes, const CvrpSegment& segment) {
  routes.join(segment.before, segment.after, segment.direction);
}

/// Puts a segment of customers, linked from e to w in its direction, between c and c'.
NEUOPT_HD void put_in(const Routes& routes, const CvrpSegment& segment, int c, int c_direction) {
  const int c_next = routes.ahead(c, c_direction);
  int last = c;
  for (int node = segment.end, left = segment.length; left > 0; --left) {
    const int next = routes.ahead(node, segment.direction);
    routes.join(last, node, c_direction);
    last = node;
    node = next;
  }
  routes.join(last, c_next, c_direction);
}

/// For the leader; the routes are refreshed by the caller. Nodes whose edges change go to `touched`.
template <class Touched>
NEUOPT_HD void apply_relocate(const CvrpView& view, const CvrpSegment& segment, int c, int c_direction,
                              Touched&& touched) {
  for (const int node : {segment.end, segment.other_end, segment.before, segment.after, c, view.ahead(c, c_direction)})
    touched(node);
  take_out(view.routes, segment);
  put_in(view.routes, segment, c, c_direction);
}

}  // namespace neuopt::local
