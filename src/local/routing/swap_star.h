// Swap*: two customers of different routes change routes, each to the best place in the other's route, its own old
// place or next to one of its neighbours there.
#pragma once

#include "local/routing/exchange.h"

namespace neuopt::local {

/// A place beside a node, found before anything is changed.
struct Gap {
  int node, direction;  // the customer that comes goes next to this node in this direction
};

/// The place of a number, see best_place().
template <class View>
NEUOPT_HD Gap gap_at(const View& view, int coming, int leaving, int place) {
  if (place == 0) return {view.ahead(leaving, 1), 0};
  return {view.neighbours.of(coming)[(place - 1) / 2], (place - 1) % 2};
}

/// What going to a place costs, without what it does to times.
template <class View>
NEUOPT_HD double place_cost(const View& view, int coming, int leaving, int place) {
  const auto [node, direction] = gap_at(view, coming, leaving, place);
  const int next = place == 0 ? view.ahead(leaving, 0) : view.ahead(node, direction);
  return view.cost(node, coming) + view.cost(coming, next) -
         (place == 0 ? view.cost(node, next) : view.edge(node, direction));
}

/// The route of the customer that leaves, with the one that comes at a place.
template <class View>
NEUOPT_HD NewRoute route_with(const View& view, int coming, int leaving, int place) {
  const auto* rank = view.routes.rank;
  const Stretch alone{coming, coming, 0, 1};
  const int before = view.ahead(leaving, 1), after = view.ahead(leaving, 0);
  if (place == 0) return {before, 0, after, 0, 1, {alone}};
  const Gap gap = gap_at(view, coming, leaving, place);
  const int beside = view.ahead(gap.node, gap.direction);
  const int first = gap.direction == 0 ? gap.node : beside, second = gap.direction == 0 ? beside : gap.node;
  if (rank[first] < rank[leaving])
    return {first, 0, after, 0, 2, {alone, {second, before, 0, rank[before] - rank[second] + 1}}};
  return {before, 0, second, 0, 2, {{after, first, 0, rank[first] - rank[after] + 1}, alone}};
}

/// The best place for a customer in the route of `leaving`, which leaves it: what going there costs, and its number. 0
/// is where that one was; 1 + 2 i + d lies between neighbour i of the customer that comes and the node next to it in
/// direction d. The lanes look together. With time windows, costs are those of a route that `leaving` is still in, and
/// places that cost more than `most` without them are not looked at; the number is -1 where there are no others.
template <class Lanes, class View>
NEUOPT_HD Move best_place(Lanes lanes, const View& view, int coming, int leaving, double most) {
  const int route = view.route(leaving);
  Move best{place_cost(view, coming, leaving, 0), 0};
  if constexpr (View::kTimed) {
    const double cost = best.delta;
    best = {1e300, -1};
    if (cost <= most)
      view.offer(
          cost, 0, 1, [&](int) { return route_with(view, coming, leaving, 0); }, best);
  }
  const std::int32_t* list = view.neighbours.of(coming);
  NEUOPT_ROLLED
  for (int place = lanes.first(); place < 2 * view.neighbours.count; place += lanes.stride()) {
    const int near = list[place / 2], direction = place % 2;
    if (view.route(near) != route || near == leaving) {
      if (lanes.stride() == 1) place |= 1;  // nor is the other direction asked
      continue;
    }
    const int next = view.ahead(near, direction);
    if (next == leaving || !view.is_free(near, next)) continue;
    const double cost = view.cost(near, coming) + view.cost(coming, next) - view.edge(near, direction);
    const auto new_route = [&](int) { return NewRoute{near, direction, next, direction, 1, {{coming, coming, 0, 1}}}; };
    if (!View::kTimed || cost <= most) view.offer(cost, 1 + place, 1, new_route, best);
  }
  return best_of(lanes, best);
}

template <class View>
NEUOPT_HD int swap_star_places(const View& view) {
  return 1 + 2 * view.neighbours.count;
}

/// What a swap* of a customer and its neighbour of that index gains at most, the places aside: they cost something
/// where the triangle inequality holds; elsewhere a few are missed.
template <class View>
NEUOPT_HD Move swap_star_reach(const View& view, int u, int index, double saved_u) {
  const int v = view.neighbours.of(u)[index];
  if (view.route(u) == view.route(v)) return {};
  const double load_u = view.total(u), load_v = view.total(v), change = view.demand(v) - view.demand(u);
  Move reach;
  double delta = view.load_cost(load_u + change, load_v - change) - view.load_cost(load_u, load_v) - saved_u -
                 saved_without(view, v);
  if constexpr (View::kTimed) delta -= view.time_cost_now(view.route(u), view.route(v));
  reach.offer(delta, index);
  return reach;
}

/// Offers the best swap* with one neighbour, whose reach is known. The number says neighbour and places.
template <class Lanes, class View>
NEUOPT_HD void offer_swap_star(Lanes lanes, const View& view, int u, const Move& reach, Move& best) {
  const int v = view.neighbours.of(u)[reach.number], places = swap_star_places(view);
  double delta = reach.delta;
  int number = reach.number;
  NEUOPT_ROLLED
  for (int side = 0; side < 2; ++side) {
    const int coming = side == 0 ? u : v, leaving = side == 0 ? v : u;
    const Move place = best_place(lanes, view, coming, leaving, best.delta - delta);
    if (View::kTimed && place.number < 0) return;
    delta += View::kTimed ? place_cost(view, coming, leaving, place.number) : place.delta;
    number = number * places + place.number;
    if (delta > best.delta) return;
  }
  const bool all_free = view.is_free(view.ahead(u, 1), u) && view.is_free(u, view.ahead(u, 0)) &&
                        view.is_free(view.ahead(v, 1), v) && view.is_free(v, view.ahead(v, 0));
  const auto new_route = [&](int which) {
    return which == 0 ? route_with(view, u, v, number / places % places) : route_with(view, v, u, number % places);
  };
  if (all_free) view.offer(delta, number, 2, new_route, best);
}

/// The best swap* of a customer, in every lane: each lane finds the reach of one neighbour; then all of them look at
/// one neighbour after the other, the furthest reach first.
template <class Lanes, class View>
NEUOPT_HD Move best_swap_star(Lanes lanes, const View& view, int u) {
  Move best;
  const double saved = saved_without(view, u);
  NEUOPT_ROLLED
  for (int base = 0; base < view.neighbours.count; base += lanes.stride()) {
    const int index = base + lanes.first();
    Move mine = index < view.neighbours.count ? swap_star_reach(view, u, index, saved) : Move{};
    NEUOPT_ROLLED
    for (Move reach = best_of(lanes, mine); reach.found() && reach.delta <= best.delta; reach = best_of(lanes, mine)) {
      offer_swap_star(lanes, view, u, reach, best);
      if (mine.number == reach.number) mine = {};
    }
  }
  return best;
}

template <class Routes, class Touched>
NEUOPT_HD void insert_customer(const Routes& routes, int customer, const Gap& gap, Touched&& touched) {
  const int next = routes.ahead(gap.node, gap.direction);
  for (const int node : {customer, gap.node, next}) touched(node);
  routes.join(gap.node, customer, gap.direction);
  routes.join(customer, next, gap.direction);
}

template <class View>
NEUOPT_HD int swap_star_partner(const View& view, int u, int number) {
  const int places = swap_star_places(view);
  return view.neighbours.of(u)[number / places / places];
}

/// For the leader; the routes are refreshed by the caller. Nodes whose edges change go to `touched`.
template <class View, class Touched>
NEUOPT_HD void apply_swap_star(const View& view, int u, int number, Touched&& touched) {
  const int places = swap_star_places(view), v = swap_star_partner(view, u, number);
  const Gap for_u = gap_at(view, u, v, number / places % places), for_v = gap_at(view, v, u, number % places);
  const auto& routes = view.routes;
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
