// 2-opt inside a route and 2-opt* between two: (u, u') and (v, v') become (u, v) and (u', v'). u' is next after u in a
// direction; v' is next after v in the same direction, which turns a part of a route round (2-opt, or 2-opt* that joins
// two beginnings and two ends), or in the other one, which swaps the tails of two routes as they are.
//
// When neither of u' and v' is a depot, one of the new edges is shorter than the edge that one of its ends gives up, so
// that looking from there loses nothing; a depot has no neighbours to look at.
#pragma once

#include "local/routing/looking.h"

namespace neuopt::local {

/// Load of the route of a node from where it begins, seen in a direction, up to and including the node.
template <class View>
NEUOPT_HD double load_up_to(const View& view, int node, int direction) {
  const double along = view.routes.load[node];
  return direction == 0 ? along : view.total(node) - along + view.demand(node);
}

/// The routes that tails make: that of u and v, and, of two routes, that of u' and v'.
template <class View>
NEUOPT_HD NewRoute route_of_tails(const View& view, int u, int direction, int v, int v_direction, int which) {
  const int u_next = view.ahead(u, direction), v_next = view.ahead(v, v_direction);
  if (view.route(u) != view.route(v))
    return which == 0 ? NewRoute{u, direction, v, 1 - v_direction, 0, {}}
                      : NewRoute{v_next, 1 - v_direction, u_next, direction, 0, {}};
  const int steps = view.routes.steps_ahead(u, v, direction);
  if (steps > 0) return {u, direction, v_next, direction, 1, {{v, u_next, 1 - direction, steps}}};
  return {v, direction, u_next, direction, 1, {{u, v_next, 1 - direction, -steps}}};
}

/// v' is on the side `turned ? direction : 1 - direction` of v. `closer`: the new edge is shorter than the one that u
/// gives up, and what the loads cost.
template <class View>
NEUOPT_HD void offer_tails(const View& view, const RoutePair& pair, bool turned, bool closer, int number, Move& best) {
  const int u = pair.node, v = pair.neighbour, direction = pair.direction();
  const bool same_route = view.route(u) == view.route(v);
  if (same_route && !turned) return;
  const int v_direction = turned ? direction : 1 - direction;
  const int u_next = view.ahead(u, direction), v_next = view.ahead(v, v_direction);
  if (same_route && (u_next == v || v_next == u)) return;
  if (!closer && !view.is_depot(u_next) && !view.is_depot(v_next)) return;
  double delta = pair.cost - view.edge(u, direction) - view.edge(v, v_direction);
  if (!same_route) {
    const double load_u = view.total(u), load_v = view.total(v);
    const double joined = load_up_to(view, u, direction) + load_up_to(view, v, v_direction);
    delta += view.load_cost(joined, load_u + load_v - joined) - view.load_cost(load_u, load_v);
  }
  if constexpr (View::kTimed) delta -= view.time_cost_now(view.route(u), view.route(v));
  if (delta > best.delta || !view.is_free(u, u_next) || !view.is_free(v, v_next)) return;
  view.offer(
      delta + view.cost(u_next, v_next), number, same_route ? 1 : 2,
      [&](int which) { return route_of_tails(view, u, direction, v, v_direction, which); }, best);
}

/// Offers to split the route after a node: the rest goes to an empty route.
template <class View>
NEUOPT_HD void offer_split(const View& view, int u, int direction, int number, Move& best) {
  const int u_next = view.ahead(u, direction), empty = *view.routes.empty;
  if (empty < 0 || view.is_depot(u_next)) return;
  const double all = view.total(u), kept = load_up_to(view, u, direction);
  double delta = view.cost(u, empty) + view.cost(empty, u_next) - view.edge(u, direction) +
                 view.load_cost(kept, all - kept) - view.load_cost(all, 0);
  if constexpr (View::kTimed) delta -= view.time_cost_now(view.route(u), empty);
  if (!view.is_free(u, u_next)) return;
  const auto new_route = [&](int which) {
    return NewRoute{which == 0 ? u : empty, direction, which == 0 ? empty : u_next, direction, 0, {}};
  };
  view.offer(delta, number, 2, new_route, best);
}

/// Turns a route round. The depot's links are turned with it.
template <class Routes>
NEUOPT_HD void turn_route(const Routes& routes, int route) {
  int node = route;
  do {
    const int next = routes.link(node, 0);
    routes.link(node, 0) = routes.link(node, 1);
    routes.link(node, 1) = next;
    node = next;
  } while (node != route);
}

/// Turns round the part of a route from one node to another that lies ahead of it in a direction.
template <class Routes>
NEUOPT_HD void turn_part(const Routes& routes, int first, int last, int direction) {
  const int before = routes.ahead(first, 1 - direction), after = routes.ahead(last, direction);
  NEUOPT_ROLLED
  for (int node = first; node != after;) {
    const int next = routes.ahead(node, direction);
    routes.link(node, direction) = routes.link(node, 1 - direction);
    routes.link(node, 1 - direction) = next;
    node = next;
  }
  routes.join(before, last, direction);
  routes.join(first, after, direction);
}

/// Swaps what follows u, which may be nothing, with the part of another route that begins with v, both seen in a
/// direction.
template <class Routes>
NEUOPT_HD void swap_tails(const Routes& routes, int u, int v, int direction) {
  const int route_u = routes.route[u], route_v = routes.route[v];
  const int u_next = routes.ahead(u, direction), v_before = routes.ahead(v, 1 - direction);
  const int u_end = routes.ahead(route_u, 1 - direction), v_end = routes.ahead(route_v, 1 - direction);
  const bool has_tail = u_next != route_u;
  routes.join(u, v, direction);
  routes.join(v_end, route_u, direction);
  routes.join(v_before, has_tail ? u_next : route_v, direction);
  if (has_tail) routes.join(u_end, route_v, direction);
}

/// For the leader; the routes are refreshed by the caller. Nodes whose edges change go to `touched`.
template <class View, class Touched>
NEUOPT_HD void apply_tails(const View& view, const RoutePair& pair, bool turned, Touched&& touched) {
  const auto& routes = view.routes;
  const int u = pair.node, v = pair.neighbour, direction = pair.direction();
  for (const int node : {u, v, routes.ahead(u, direction), routes.ahead(v, turned ? direction : 1 - direction)})
    touched(node);
  if (view.route(u) != view.route(v)) {
    if (turned) turn_route(routes, view.route(v));
    swap_tails(routes, u, v, direction);
  } else if (routes.steps_ahead(u, v, direction) > 0) {
    turn_part(routes, routes.ahead(u, direction), v, direction);
  } else {
    turn_part(routes, routes.ahead(v, direction), u, direction);
  }
}

/// For the leader: moves what follows u to the empty route.
template <class View, class Touched>
NEUOPT_HD void apply_split(const View& view, int u, int direction, Touched&& touched) {
  const auto& routes = view.routes;
  const int route = view.route(u), empty = *routes.empty;
  const int u_next = routes.ahead(u, direction), u_end = routes.ahead(route, 1 - direction);
  touched(u);
  touched(u_next);
  routes.join(u, route, direction);
  routes.join(empty, u_next, direction);
  routes.join(u_end, empty, direction);
}

}  // namespace neuopt::local
