// Swap: a segment X of one or two customers and a segment Y of one or two change places, each either way round.
//
// X = u .. x between the outer nodes u' (next to u) and x'; Y = y1 .. y between v (next to y1) and y'. After the move u
// is next to v and x next to y', and Y lies between u' and x'. Of the new edges, each between an end of a segment and
// an outer node, one is shorter than the edge that this end gives up; when an outer node is a depot, which has no
// neighbours to look at, the others look however far they are.
#pragma once

#include "local/cvrp/looking.h"

namespace neuopt::local {

/// Variants of a pair: length of X, side of Y, length and order of Y.
inline constexpr int kSwapVariants = 2 * 2 * 3;

struct SwapMove {
  int x_end, x_outer;         // u, u'
  int x_far, x_far_outer;     // x, x'
  int y_end, y_far, y_outer;  // y1, y, y'
  int x_direction;            // from u to x
  int y_direction;            // from v to y
  bool y_turned;              // y1 goes next to x' rather than to u'
  bool possible;              // both segments are customers, with at least one node between them in a common route
};

NEUOPT_HD SwapMove swap_move(const CvrpView& view, const CvrpPair& pair, int variant) {
  SwapMove move{};
  const int shape = variant % 3;
  move.x_direction = 1 - pair.direction;
  move.y_direction = variant / 3 % 2;
  move.y_turned = shape == 2;
  move.x_end = pair.node;
  move.x_outer = view.ahead(pair.node, pair.direction);
  move.x_far = variant < kSwapVariants / 2 ? pair.node : view.ahead(pair.node, move.x_direction);
  move.y_end = view.ahead(pair.neighbour, move.y_direction);
  if (view.is_depot(move.x_far) || view.is_depot(move.y_end)) return move;
  move.y_far = shape == 0 ? move.y_end : view.ahead(move.y_end, move.y_direction);
  if (view.is_depot(move.y_far)) return move;
  move.x_far_outer = view.ahead(move.x_far, move.x_direction);
  move.y_outer = view.ahead(move.y_far, move.y_direction);
  if (view.route(pair.node) != view.route(pair.neighbour)) {
    move.possible = true;
    return move;
  }
  // The segments are apart when Y reaches neither X nor a node next to X.
  const int from_x = move.x_direction == 0 ? move.x_end : move.x_far,
            to_x = from_x == move.x_end ? move.x_far : move.x_end;
  const int from_y = move.y_direction == 0 ? move.y_end : move.y_far,
            to_y = from_y == move.y_end ? move.y_far : move.y_end;
  const auto* rank = view.routes.rank;
  move.possible = rank[to_y] < rank[from_x] - 1 || rank[from_y] > rank[to_x] + 1;
  return move;
}

NEUOPT_HD void offer_swap(const CvrpView& view, const CvrpPair& pair, int variant, int number, Move& best) {
  const SwapMove move = swap_move(view, pair, variant);
  if (!move.possible) return;
  const double given_up = view.edge(move.x_end, pair.direction);
  if (!(pair.cost < given_up + pair.load_cost)) return;
  const int v = pair.neighbour;
  const int y_at_outer = move.y_turned ? move.y_far : move.y_end, y_at_far = move.y_turned ? move.y_end : move.y_far;
  double delta = pair.cost + view.cost(move.x_far, move.y_outer) + view.cost(move.x_outer, y_at_outer) +
                 view.cost(y_at_far, move.x_far_outer) - given_up - view.edge(move.x_far, move.x_direction) -
                 view.edge(v, move.y_direction) - view.edge(move.y_far, move.y_direction);
  if (!(delta - pair.load_cost < best.delta)) return;
  if (view.route(pair.node) != view.route(v)) {
    double of_x = view.demand(move.x_end), of_y = view.demand(move.y_end);
    if (move.x_far != move.x_end) of_x += view.demand(move.x_far);
    if (move.y_far != move.y_end) of_y += view.demand(move.y_far);
    delta += view.load_cost(view.total(pair.node) - of_x + of_y, view.total(v) - of_y + of_x) - pair.load_cost;
  }
  if (delta < best.delta && view.is_free(move.x_end, move.x_outer) && view.is_free(move.x_far, move.x_far_outer) &&
      view.is_free(v, move.y_end) && view.is_free(move.y_far, move.y_outer))
    best.offer(delta, number);
}

/// For the leader; the routes are refreshed by the caller. Nodes whose edges change go to `touched`.
template <class Touched>
NEUOPT_HD void apply_swap(const CvrpView& view, const CvrpPair& pair, int variant, Touched&& touched) {
  const SwapMove move = swap_move(view, pair, variant);
  for (const int node :
       {move.x_end, move.x_outer, move.x_far, move.x_far_outer, move.y_end, move.y_far, move.y_outer, pair.neighbour})
    touched(node);
  const Routes& routes = view.routes;
  // u' Y x' in the direction from u to x.
  const int y_first = move.y_turned ? move.y_far : move.y_end, y_last = move.y_turned ? move.y_end : move.y_far;
  routes.join(move.x_outer, y_first, move.x_direction);
  if (y_first != y_last) routes.join(y_first, y_last, move.x_direction);
  routes.join(y_last, move.x_far_outer, move.x_direction);
  // v X y' in the direction from v to y.
  routes.join(pair.neighbour, move.x_end, move.y_direction);
  if (move.x_end != move.x_far) routes.join(move.x_end, move.x_far, move.y_direction);
  routes.join(move.x_far, move.y_outer, move.y_direction);
}

}  // namespace neuopt::local
