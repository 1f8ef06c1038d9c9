// Relocate and swap: a segment X of up to three customers goes elsewhere, and a segment Y of up to two, which may be
// empty, goes where X was.
//
// X = e .. w between p and n; Y lies between c and y'. After the move e is next to c and w next to y', and Y lies
// between p and n, either way round. Of the new edges one is shorter than what its end gives up: a move is found from
// there, by the pair (e, c) that joins, unless the outer node is a depot, which has no neighbours to look at; when Y is
// empty and y' a depot, e looks however far c is.
#pragma once

#include "local/routing/looking.h"

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

NEUOPT_HD Exchange exchange_of(const RoutePair& pair, int variant) {
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

/// So many customers in a row, and the nodes at both ends. An empty one has its `before` as its last.
struct Segment {
  int before, first, last, after;
  double removed;  // cost of the edges at both ends, of the one edge where it is empty
  double load;
  bool exists;  // they are all customers
};

/// The segment after a node in a direction.
template <class View>
NEUOPT_HD Segment segment_after(const View& view, int before, int direction, int length) {
  const int first = view.ahead(before, direction);
  Segment segment{before, first, before, first, view.edge(before, direction), 0, true};
  NEUOPT_ROLLED
  for (int i = 0; i < length && segment.exists; ++i) {
    segment.last = segment.after;
    segment.exists = !view.is_depot(segment.last);
    segment.load += view.demand(segment.last);
    segment.after = view.ahead(segment.last, direction);
  }
  if (length > 0) segment.removed += view.edge(segment.last, direction);
  return segment;
}

/// The segment that an exchange takes to c.
template <class View>
NEUOPT_HD Segment segment_x(const View& view, const Exchange& move) {
  return segment_after(view, view.ahead(move.end, 1 - move.x_direction), move.x_direction, move.x_length);
}

/// Saved by taking out a segment.
template <class View>
NEUOPT_HD double saved_without(const View& view, const Segment& segment) {
  return segment.removed - view.cost(segment.before, segment.after);
}

/// Saved by taking out a customer alone.
template <class View>
NEUOPT_HD double saved_without(const View& view, int customer) {
  return saved_without(view, segment_after(view, view.ahead(customer, 1), 0, 1));
}

/// Whether X keeps clear of c, Y and y', all in one route.
template <class View>
NEUOPT_HD bool are_apart(const View& view, const Segment& x, const Segment& y) {
  const auto* rank = view.routes.rank;
  const int e = rank[x.first], w = rank[x.last], c = rank[y.before];
  const int y_end = rank[view.is_depot(y.after) ? y.last : y.after];
  const bool x_along = e < w, y_along = c < y_end;
  return (y_along ? y_end : c) < (x_along ? e : w) || (y_along ? c : y_end) > (x_along ? w : e);
}

/// The route where X was, or that where Y was; in one route both are the first. `y_turned`: the end of Y that was next
/// to c is next to n.
template <class View>
NEUOPT_HD NewRoute exchanged_route(const View& view, const Segment& x, const Segment& y, bool y_turned, int which) {
  const auto* rank = view.routes.rank;
  const auto count = [&](int first, int last) {
    return (rank[first] < rank[last] ? rank[last] - rank[first] : rank[first] - rank[last]) + 1;
  };
  const int xd = view.ahead(x.before, 0) == x.first ? 0 : 1, yd = view.ahead(y.before, 0) == y.first ? 0 : 1;
  const Stretch xs{x.first, x.last, xd, count(x.first, x.last)};
  const Stretch ys = Stretch{y.first, y.last, yd, y.last == y.before ? 0 : count(y.first, y.last)}.turned_if(y_turned);
  if (view.route(x.first) != view.route(y.before))
    return which == 0 ? NewRoute{x.before, xd, x.after, xd, 1, {ys}} : NewRoute{y.before, yd, y.after, yd, 1, {xs}};
  const int direction = rank[x.first] < rank[y.before] ? 0 : 1;  // in which X comes before Y
  const bool x_along = xd == direction, y_along = yd == direction;
  const int first = x_along ? x.after : x.before, last = y_along ? y.before : y.after;  // of what is between them
  return {x_along ? x.before : x.after,
          direction,
          y_along ? y.after : y.before,
          direction,
          3,
          {ys.turned_if(!x_along), {first, last, direction, count(first, last)}, xs.turned_if(!y_along)}};
}

/// Offers an exchange of a pair, and with the next number the one that turns Y where that can go either way. `saved`:
/// by taking X out, the edge that closes the gap counted only when Y is empty.
template <class View>
NEUOPT_HD void offer_exchange(const View& view, const RoutePair& pair, const Segment& x, double saved, const Segment& y,
                              int number, Move& best) {
  double delta = pair.cost - saved - y.removed;
  if (pair.excess == 0 && delta > best.delta) return;
  const int route_e = view.route(x.first), route_c = view.route(y.before);
  if (route_e != route_c) {
    const double load_e = view.routes.total(route_e), load_c = view.routes.total(route_c), change = y.load - x.load;
    delta += view.load_cost(load_e + change, load_c - change) - view.load_cost(load_e, load_c);
  } else if (!are_apart(view, x, y)) {
    return;
  }
  if constexpr (View::kTimed) delta -= view.time_cost_now(route_e, route_c);
  if (delta > best.delta) return;
  if (!view.is_free(x.before, x.first) || !view.is_free(x.last, x.after) || !view.is_free(y.before, y.first) ||
      !view.is_free(y.last, y.after))
    return;
  delta += view.cost(x.last, y.after);
  const auto offer = [&](double full, bool y_turned) {
    view.offer(
        full, y_turned ? number + 1 : number, route_e == route_c ? 1 : 2,
        [&](int which) { return exchanged_route(view, x, y, y_turned, which); }, best);
  };
  if (y.last == y.before) {
    offer(delta, false);
    return;
  }
  offer(delta + view.cost(x.before, y.first) + view.cost(y.last, x.after), false);
  if (y.first != y.last) offer(delta + view.cost(x.before, y.last) + view.cost(y.first, x.after), true);
}

/// Looks at a pair in one of the ways. Numbers count from that of variant 0 on.
template <class View>
NEUOPT_HD void look_at_exchange(const View& view, const RoutePair& pair, int look, int number, Move& best) {
  const int variant = variant_of_look(look);
  const Exchange move = exchange_of(pair, variant);
  const Segment x = segment_x(view, move), y = segment_after(view, move.c, move.y_direction, move.y_length);
  if (!x.exists || !y.exists) return;
  offer_exchange(view, pair, x, move.y_length == 0 ? saved_without(view, x) : x.removed, y, number + variant, best);
}

/// Puts a segment, linked from `first` on in a direction, behind a node in another direction; returns its last node.
template <class Routes>
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
template <class View, class Touched>
NEUOPT_HD void apply_exchange(const View& view, const RoutePair& pair, int variant, Touched&& touched) {
  const auto& routes = view.routes;
  const Exchange move = exchange_of(pair, variant);
  const int xd = move.x_direction, yd = move.y_direction;
  const Segment x = segment_x(view, move), y = segment_after(view, move.c, yd, move.y_length);
  for (const int node : {x.before, x.first, x.last, x.after, y.before, y.first, y.last, y.after}) touched(node);
  // p Y n on the way from e to w; Y is one customer or two.
  int last = x.before;
  if (move.y_length > 0) {
    const int near = move.y_turned ? y.last : y.first, far = move.y_turned ? y.first : y.last;
    routes.join(last, near, xd);
    if (near != far) routes.join(near, far, xd);
    last = far;
  }
  // Inside X links are still as they were when it is put behind c.
  routes.join(last, x.after, xd);
  routes.join(chain(routes, y.before, yd, x.first, xd, move.x_length), y.after, yd);
}

}  // namespace neuopt::local
