// Swap: a segment X of one or two customers and a segment Y of one or two change places, each either way round.
//
// X = u .. x between the outer nodes u' (next to u) and x'; Y = y1 .. y between v (next to y1) and y'. After the move u
// is next to v and x next to y', and Y lies between u' and x'. Of the new edges, each between an end of a segment and
// an outer node, one is shorter than the edge that this end gives up: it is found from there, unless the outer node is
// the depot, which has no neighbours to look at.
#pragma once

#include "local/cvrp/looking.h"

namespace neuopt::local {

/// Variants of a pair: length of X (one or two), side of Y, and Y as one customer, as two, or as two the other way.
inline constexpr int kSwapVariants = 2 * 2 * 3;

/// One of the two segments.
struct SwapSegment {
  bool possible;   // it consists of customers
  int end, far;    // u and x, or y1 and y
  int far_outer;   // x' or y'
  int direction;   // from end to far
  double removed;  // cost of the edges at both ends
  double load;
};

/// The segment of so many customers from an end on in a direction.
NEUOPT_HD SwapSegment swap_segment(const CvrpView& view, int end, int direction, int length) {
  SwapSegment segment{!view.is_depot(end), end, end, 0, direction, 0, view.demand(end)};
  if (segment.possible && length == 2) {
    segment.far = view.ahead(end, direction);
    segment.possible = !view.is_depot(segment.far);
    segment.load += view.demand(segment.far);
  }
  segment.far_outer = view.ahead(segment.far, direction);
  segment.removed = view.edge(end, 1 - direction) + view.edge(segment.far, direction);
  return segment;
}

NEUOPT_HD SwapSegment swap_x(const CvrpView& view, const CvrpPair& pair, int length) {
  return swap_segment(view, pair.node, 1 - pair.direction, length);
}
NEUOPT_HD SwapSegment swap_y(const CvrpView& view, const CvrpPair& pair, int direction, int length) {
  return swap_segment(view, view.ahead(pair.neighbour, direction), direction, length);
}

/// Whether at least one node lies between the segments, in a common route.
NEUOPT_HD bool are_apart(const CvrpView& view, const SwapSegment& x, const SwapSegment& y) {
  const auto* rank = view.routes.rank;
  const auto first = [&](const SwapSegment& s) { return rank[s.direction == 0 ? s.end : s.far]; };
  const auto last = [&](const SwapSegment& s) { return rank[s.direction == 0 ? s.far : s.end]; };
  return last(y) < first(x) - 1 || first(y) > last(x) + 1;
}

/// Offers to swap X and Y, Y as it is and the other way round. Numbers count from that of the first on.
NEUOPT_HD void offer_swap(const CvrpView& view, const CvrpPair& pair, const SwapSegment& x, const SwapSegment& y,
                          int number, Move& best) {
  double delta = pair.cost - x.removed - y.removed;
  if (pair.same_route) {
    if (!are_apart(view, x, y)) return;
  } else {
    const double change = y.load - x.load;
    delta += view.load_cost(pair.node_load + change, pair.neighbour_load - change) - pair.load_cost;
  }
  if (!(delta < best.delta)) return;
  const int x_outer = view.ahead(x.end, pair.direction);
  if (!view.is_free(x.end, x_outer) || !view.is_free(x.far, x.far_outer) || !view.is_free(pair.neighbour, y.end) ||
      !view.is_free(y.far, y.far_outer))
    return;
  delta += view.cost(x.far, y.far_outer);
  best.offer(delta + view.cost(x_outer, y.end) + view.cost(y.far, x.far_outer), number);
  if (y.end != y.far) best.offer(delta + view.cost(x_outer, y.far) + view.cost(y.end, x.far_outer), number + 1);
}

/// Offers all swaps of a pair.
NEUOPT_HD void offer_swaps(const CvrpView& view, const CvrpPair& pair, int number, Move& best) {
  for (int x_length = 1; x_length <= 2; ++x_length) {
    const SwapSegment x = swap_x(view, pair, x_length);
    if (!x.possible) continue;
    for (int direction = 0; direction < 2; ++direction)
      for (int y_length = 1; y_length <= 2; ++y_length) {
        const SwapSegment y = swap_y(view, pair, direction, y_length);
        if (!y.possible) break;
        offer_swap(view, pair, x, y, number + 6 * (x_length - 1) + 3 * direction + y_length - 1, best);
      }
  }
}

/// For the leader; the routes are refreshed by the caller. Nodes whose edges change go to `touched`.
template <class Touched>
NEUOPT_HD void apply_swap(const CvrpView& view, const CvrpPair& pair, int variant, Touched&& touched) {
  const Routes& routes = view.routes;
  const SwapSegment x = swap_x(view, pair, 1 + variant / 6);
  const SwapSegment y = swap_y(view, pair, variant / 3 % 2, variant % 3 == 0 ? 1 : 2);
  const bool y_turned = variant % 3 == 2;
  const int x_outer = view.ahead(x.end, pair.direction);
  for (const int node : {x.end, x_outer, x.far, x.far_outer, y.end, y.far, y.far_outer, pair.neighbour}) touched(node);
  // u' Y x' in the direction from u to x.
  const int y_first = y_turned ? y.far : y.end, y_last = y_turned ? y.end : y.far;
  routes.join(x_outer, y_first, x.direction);
  if (y_first != y_last) routes.join(y_first, y_last, x.direction);
  routes.join(y_last, x.far_outer, x.direction);
  // v X y' in the direction from v to y.
  routes.join(pair.neighbour, x.end, y.direction);
  if (x.end != x.far) routes.join(x.end, x.far, y.direction);
  routes.join(x.far, y.far_outer, y.direction);
}

}  // namespace neuopt::local
