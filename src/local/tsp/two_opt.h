// 2-opt: (u, u') and (v, v') become (u, v) and (u', v'), where u' and v' are next in one direction. Of the two new
// edges one is shorter than the edge that its end gives up, so that nothing is lost by looking from that end only.
#pragma once

#include "local/tsp/looking.h"

namespace neuopt::local {

NEUOPT_HD void offer_two_opt(const TspView& view, const TspPair& pair, int number, Move& best) {
  const int u = pair.node, v = pair.neighbour;
  const int u_next = view.ahead(u, pair.direction()), v_next = view.ahead(v, pair.direction());
  const double given_up = view.cost(u, u_next);
  if (!(pair.cost < given_up) || v_next == u || u_next == v) return;
  const double delta = pair.cost + view.cost(u_next, v_next) - given_up - view.cost(v, v_next);
  if (view.is_free(u, u_next) && view.is_free(v, v_next)) best.offer(delta, number);
}

/// Nodes at the ends of what changed go to `touched`, for the leader.
template <class Lanes, class Journal, class Touched>
NEUOPT_HD void apply_two_opt(Lanes lanes, const TspView& view, const TspPair& pair, Journal& journal,
                             Touched&& touched) {
  const int u = pair.node, v = pair.neighbour;
  const int u_next = view.ahead(u, pair.direction()), v_next = view.ahead(v, pair.direction());
  exchange_edges(lanes, view.tour, journal, u, u_next, v, v_next);
  for (const int node : {u, u_next, v, v_next}) touched(node);
}

}  // namespace neuopt::local
