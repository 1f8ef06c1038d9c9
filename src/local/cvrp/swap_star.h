// Swap*: two customers of different routes change routes, each to the best place in the other's route, its own old
// place or next to one of its neighbours there.
#pragma once

#include "local/cvrp/looking.h"

namespace neuopt::local {

/// A place in a route without one of its customers, w: 0 is where w was; 1 + 2 i + d lies between neighbour i of the
/// customer that comes and the node next to it in direction d.
struct Place {
  int number = 0;
  double cost = 0;  // of going there
};

/// Saved when a customer is taken out of its route.
NEUOPT_HD double saved_without(const CvrpView& view, int node) {
  const int before = view.ahead(node, 1), after = view.ahead(node, 0);
  return view.edge(node, 1) + view.edge(node, 0) - view.cost(before, after);
}

/// The best place for a customer in the route of `leaving`, which leaves it.
NEUOPT_HD Place best_place(const CvrpView& view, int coming, int leaving) {
  const int before = view.ahead(leaving, 1), after = view.ahead(leaving, 0);
  Place best{0, view.cost(before, coming) + view.cost(coming, after) - view.cost(before, after)};
  const std::int32_t* list = view.neighbours.of(coming);
  for (int i = 0; i < view.neighbours.count; ++i) {
    const int near = list[i];
    if (view.route(near) != view.route(leaving) || near == leaving) continue;
    const double to_near = view.cost(near, coming);
    for (int direction = 0; direction < 2; ++direction) {
      const int next = view.ahead(near, direction);
      if (next == leaving || !view.is_free(near, next)) continue;
      const double cost = to_near + view.cost(coming, next) - view.edge(near, direction);
      if (cost < best.cost) best = {1 + 2 * i + direction, cost};
    }
  }
  return best;
}

NEUOPT_HD int swap_star_places(const CvrpView& view) { return 1 + 2 * view.neighbours.count; }

/// Offers the best swap* of a customer and its neighbour of that index. The number says neighbour and places.
NEUOPT_HD void offer_swap_star(const CvrpView& view, int u, int index, double saved_u, Move& best) {
  const int v = view.neighbours.of(u)[index];
  if (view.route(u) == view.route(v)) return;
  const double load_u = view.total(u), load_v = view.total(v), change = view.demand(v) - view.demand(u);
  double delta = view.load_cost(load_u + change, load_v - change) - view.load_cost(load_u, load_v) - saved_u -
                 saved_without(view, v);
  if (!(delta < best.delta))
    return;  // places cost something where the triangle inequality holds; elsewhere a few are missed
  const Place for_u = best_place(view, u, v);
  delta += for_u.cost;
  if (!(delta < best.delta)) return;
  const Place for_v = best_place(view, v, u);
  delta += for_v.cost;
  if (!(delta < best.delta)) return;
  const bool all_free = view.is_free(view.ahead(u, 1), u) && view.is_free(u, view.ahead(u, 0)) &&
                        view.is_free(view.ahead(v, 1), v) && view.is_free(v, view.ahead(v, 0));
  const int places = swap_star_places(view);
  if (all_free) best.offer(delta, (index * places + for_u.number) * places + for_v.number);
}

/// The two neighbours of a place once both customers are out, found before anything is changed.
struct Gap {
  int node, direction;  // the customer that comes goes next to this node in this direction
};

NEUOPT_HD Gap gap_at(const CvrpView& view, int coming, int leaving, int place) {
  if (place == 0) return {view.ahead(leaving, 1), 0};
  return {view.neighbours.of(coming)[(place - 1) / 2], (place - 1) % 2};
}

template <class Touched>
NEUOPT_HD void insert_customer(const Routes& routes, int customer, const Gap& gap, Touched&& touched) {
  const int next = routes.ahead(gap.node, gap.direction);
  for (const int node : {customer, gap.node, next}) touched(node);
  routes.join(gap.node, customer, gap.direction);
  routes.join(customer, next, gap.direction);
}

NEUOPT_HD int swap_star_partner(const CvrpView& view, int u, int number) {
  const int places = swap_star_places(view);
  return view.neighbours.of(u)[number / places / places];
}

/// For the leader; the routes are refreshed by the caller. Nodes whose edges change go to `touched`.
template <class Touched>
NEUOPT_HD void apply_swap_star(const CvrpView& view, int u, int number, Touched&& touched) {
  const int places = swap_star_places(view), v = swap_star_partner(view, u, number);
  const Gap for_u = gap_at(view, u, v, number / places % places), for_v = gap_at(view, v, u, number % places);
  const Routes& routes = view.routes;
  for (const int leaving : {u, v}) {
    const int before = routes.ahead(leaving, 1), after = routes.ahead(leaving, 0);
    touched(before);
    touched(after);
    routes.join(before, after, 0);
  }
  insert_customer(routes, u, for_u, touched);
  insert_customer(routes, v, for_v, touched);
}

}  // namespace neuopt::local
