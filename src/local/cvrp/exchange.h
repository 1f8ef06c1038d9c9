// Relocate and swap: a segment X of up to three customers goes elsewhere, and a segment Y of up to two, which may be
// empty, goes where X was.
//
// X = e .. w between p and n; Y lies between c and y'. After the move e is next to c and w next to y', and Y lies
// between p and n, either way round. Of the new edges one is shorter than what its end gives up: a move is found from
// there, by the pair (e, c) that joins, unless the outer node is a depot, which has no neighbours to look at; when Y is
// empty and y' a depot, e looks however far c is.
#pragma once

#include "local/cvrp/looking.h"

namespace neuopt::local {

/// What a pair and its direction leave open: a segment of the node beside the neighbour, one of the neighbour beside
/// the node (one customer, two or three in either direction), and swaps: length of X (one or two), side of Y, and Y as
/// one customer, as two, or as two the other way.
inline constexpr int kRelocations = 5, kSwaps = 2 * 2 * 3;
inline constexpr int kExchanges = 2 * kRelocations + kSwaps;
/// Looks at a pair: the two ways of a Y of two are looked at together.
inline constexpr int kExchangeLooks = 2 * kRelocations + 2 * 2 * 2;

/// The first variant that a look is about; the second, if there is one, is the next.
NEUOPT_HD int variant_of_look(int look) {
  const int swap = look - 2 * kRelocations;
  return swap < 0 ? look : look + swap / 2;
}

struct Exchange {
  int end, x_direction, x_length;  // e, and the way to w
  int c, y_direction, y_length;    // the way from c to y'
  bool y_turned;                   // the end of Y that was next to c is next to n
};

NEUOPT_HD Exchange exchange_of(const CvrpPair& pair, int variant) {
  if (variant >= 2 * kRelocations) {
    const int swap = variant - 2 * kRelocations, y = swap % 3;
    return {pair.node, 1 - pair.direction(), 1 + swap / 6, pair.neighbour, swap / 3 % 2, y == 0 ? 1 : 2, y == 2};
  }
  const bool own = variant < kRelocations;
  const int segment = own ? variant : variant - kRelocations;
  return {own ? pair.node : pair.neighbour,
          segment < 3 ? 0 : 1,
          segment < 3 ? segment + 1 : segment - 1,
          own ? pair.neighbour : pair.node,
          pair.direction(),
          0,
          false};
}

/// The customers of a segment.
struct Stretch {
  int last;  // the node before it where it is empty
  double load;
  bool exists;  // they are all customers
};

/// So many nodes after one, in a direction.
NEUOPT_HD Stretch stretch_after(const CvrpView& view, int node, int direction, int length) {
  Stretch stretch{node, 0, true};
  NEUOPT_ROLLED
  for (int i = 0; i < length && stretch.exists; ++i) {
    stretch.last = view.ahead(stretch.last, direction);
    stretch.exists = !view.is_depot(stretch.last);
    stretch.load += view.demand(stretch.last);
  }
  return stretch;
}

/// Saved by taking out a segment of a customer, variant 0 .. 4 of the exchanges; nothing when there is none.
NEUOPT_HD double saved_without(const CvrpView& view, int end, int variant) {
  const Exchange taken = exchange_of({end, end, 0, 0}, variant);
  const Stretch x = stretch_after(view, end, taken.x_direction, taken.x_length - 1);
  if (!x.exists) return 0;
  const int before = view.ahead(end, 1 - taken.x_direction), after = view.ahead(x.last, taken.x_direction);
  return view.edge(end, 1 - taken.x_direction) + view.edge(x.last, taken.x_direction) - view.cost(before, after);
}

/// Whether X keeps clear of c, Y and y', all in one route.
NEUOPT_HD bool are_apart(const CvrpView& view, int x_end, int x_other, int c, int y_last, int beyond) {
  const auto* rank = view.routes.rank;
  const int y_end = view.is_depot(beyond) ? y_last : beyond;
  const int x_rank = rank[x_end], w_rank = rank[x_other], c_rank = rank[c], y_rank = rank[y_end];
  const bool x_along = x_rank < w_rank, y_along = c_rank < y_rank;
  return (y_along ? y_rank : c_rank) < (x_along ? x_rank : w_rank) ||
         (y_along ? c_rank : y_rank) > (x_along ? w_rank : x_rank);
}

/// Offers one exchange of a pair, and the next when Y can go either way. Its numbers count from that of variant 0 on.
NEUOPT_HD void look_at_exchange(const CvrpView& view, const CvrpPair& pair, int look, int number, Move& best) {
  const int variant = variant_of_look(look);
  const Exchange move = exchange_of(pair, variant);
  const int e = move.end, c = move.c;
  const Stretch x = stretch_after(view, e, move.x_direction, move.x_length - 1);
  const Stretch y = stretch_after(view, c, move.y_direction, move.y_length);
  if (!x.exists || !y.exists) return;
  const int w = x.last, beyond = view.ahead(y.last, move.y_direction);
  double delta =
      pair.cost - view.edge(e, 1 - move.x_direction) - view.edge(w, move.x_direction) - view.edge(c, move.y_direction);
  if (move.y_length > 0) delta -= view.edge(y.last, move.y_direction);
  const int route_e = view.route(e), route_c = view.route(c);
  if (route_e != route_c) {
    const double load_e = view.routes.total(route_e), load_c = view.routes.total(route_c);
    const double change = y.load - (x.load + view.demand(e));
    delta += view.load_cost(load_e + change, load_c - change) - view.load_cost(load_e, load_c);
  }
  if (delta > best.delta) return;
  if (route_e == route_c && !are_apart(view, e, w, c, y.last, beyond)) return;
  const int p = view.ahead(e, 1 - move.x_direction), n = view.ahead(w, move.x_direction);
  const int y_first = view.ahead(c, move.y_direction);
  if (!view.is_free(p, e) || !view.is_free(w, n) || !view.is_free(c, y_first) || !view.is_free(y.last, beyond)) return;
  delta += view.cost(w, beyond);
  const bool has_y = move.y_length > 0;
  best.offer(delta + view.cost(p, has_y ? y_first : n) + (has_y ? view.cost(y.last, n) : 0), number + variant);
  if (y.last != y_first && has_y)
    best.offer(delta + view.cost(p, y.last) + view.cost(y_first, n), number + variant + 1);
}

/// Puts a segment, linked from `first` on in a direction, behind a node in another direction; returns its last node.
NEUOPT_HD int chain(const Routes& routes, int node, int to_direction, int first, int direction, int length) {
  NEUOPT_ROLLED
  for (int next = first; length > 0; --length) {
    const int current = next;
    next = routes.ahead(current, direction);
    routes.join(node, current, to_direction);
    node = current;
  }
  return node;
}

/// For the leader; the routes are refreshed by the caller. Nodes whose edges change go to `touched`.
template <class Touched>
NEUOPT_HD void apply_exchange(const CvrpView& view, const CvrpPair& pair, int variant, Touched&& touched) {
  const Routes& routes = view.routes;
  const Exchange move = exchange_of(pair, variant);
  const int e = move.end, c = move.c, xd = move.x_direction, yd = move.y_direction;
  const int w = stretch_after(view, e, xd, move.x_length - 1).last;
  const int y_last = stretch_after(view, c, yd, move.y_length).last;
  const int p = view.ahead(e, 1 - xd), n = view.ahead(w, xd), y_first = view.ahead(c, yd);
  const int beyond = view.ahead(y_last, yd);
  for (const int node : {p, e, w, n, c, y_first, y_last, beyond}) touched(node);
  // p Y n on the way from e to w; Y is one customer or two.
  int last = p;
  if (move.y_length > 0) {
    const int near = move.y_turned ? y_last : y_first, far = move.y_turned ? y_first : y_last;
    routes.join(p, near, xd);
    if (near != far) routes.join(near, far, xd);
    last = far;
  }
  // Inside X links are still as they were when it is put behind c.
  routes.join(last, n, xd);
  routes.join(chain(routes, c, yd, e, xd, move.x_length), beyond, yd);
}

}  // namespace neuopt::local
