// Feasibility masking for K = 2, the usual way to keep a search inside the feasible region and the paper's comparison
// for GIRE: of the second choices, only those that lead to a feasible solution are left.
//
// How a policy uses it: start from a feasible solution; after the S-move make the mask; give every position that
// legal_ranks or the mask refuses a probability of 0; choose and apply as usual. The void action is always allowed, so
// that a choice is left, and every solution visited is feasible.
#pragma once

#include "env/exchange_loads.h"

namespace neuopt::env {

/// What may follow an anchor. Made once, then asked for each position in O(1).
struct TwoOptMask {
  AnchorLoads anchor_loads;

  /// Whether choosing this position overloads no route: from a feasible tour, whether it leads to a feasible one. Ranks
  /// 0 and 1 make no exchange.
  NEUOPT_HD bool allows(int position) const {
    if (!anchor_loads.any()) return true;
    const int rank = kopt::wrap(position - anchor_loads.anchor, anchor_loads.nodes);
    return rank <= 1 || anchor_loads.within_route(rank) || anchor_loads.changed_routes_fit(rank);
  }
};

/// The mask for an anchor, given by its position. O(length of the anchor's route).
NEUOPT_HD TwoOptMask make_two_opt_mask(const LoadRows& loads, int nodes, int anchor) {
  return {loads_from(loads, nodes, 0, anchor)};
}

}  // namespace neuopt::env
