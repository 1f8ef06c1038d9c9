// Feasibility masking for K = 2, the usual way to keep a search inside the feasible region and the paper's comparison
// for GIRE: of the second choices, only those that lead to a feasible solution are left.
//
// How a policy uses it: start from a feasible solution; after the S-move make the mask; give every position that
// legal_ranks or the mask refuses a probability of 0; choose and apply as usual. The void action is always allowed, so
// that a choice is left, and every solution visited is feasible.
#pragma once

#include <cstdint>

#include "env/problems/cvrp.h"
#include "kopt/tour.h"

namespace neuopt::env {

/// The loads of a CVRP tour, read from the node features: backends and trainer have those at hand wherever they choose.
struct LoadRows {
  const float* features = nullptr;      // (N, width); null: there are no loads, and nothing is masked
  const std::int32_t* order = nullptr;  // node at each position where rows are in node order; null: in tour order
  int width = Cvrp::traits.features;    // of a row

  NEUOPT_HD float up_to(int position) const { return row(position)[2]; }
  NEUOPT_HD float after(int position) const { return row(position)[4]; }
  NEUOPT_HD bool is_depot(int position) const { return row(position)[5] > 0; }

 private:
  NEUOPT_HD const float* row(int position) const {
    return features + (order == nullptr ? position : order[position]) * width;
  }
};

/// What may follow an anchor. Made once, then asked for each position in O(1).
///
/// Choosing rank r turns round t_1 .. t_r. Within one route no load changes. Otherwise two routes change: the nodes up
/// to the anchor are followed by those up to t_r, and the nodes after the anchor by those after t_r; routes between
/// them are only traversed the other way.
struct TwoOptMask {
  LoadRows loads;
  int nodes = 0, anchor = 0;  // the anchor's position
  int route_end_rank = 0;     // ranks below it are in the anchor's route
  int route_start_rank = 0;   // so are ranks from here on: the part of the route that comes before the anchor

  /// Whether choosing this position overloads no route: from a feasible tour, whether it leads to a feasible one.
  NEUOPT_HD bool allows(int position) const {
    if (loads.features == nullptr) return true;
    const int rank = kopt::wrap(position - anchor, nodes);
    if (rank <= 1 || rank < route_end_rank || rank >= route_start_rank) return true;
    return !exceeds_capacity(loads.up_to(anchor) + loads.up_to(position)) &&
           !exceeds_capacity(loads.after(anchor) + loads.after(position));
  }
};

/// The mask for an anchor, given by its position. O(length of the anchor's route).
NEUOPT_HD TwoOptMask make_two_opt_mask(const LoadRows& loads, int nodes, int anchor) {
  TwoOptMask mask{loads, nodes, anchor, 1, nodes};
  if (loads.features == nullptr) return mask;
  while (mask.route_end_rank < nodes && !loads.is_depot(kopt::wrap(anchor + mask.route_end_rank, nodes)))
    ++mask.route_end_rank;
  for (int position = anchor; position > 0 && !loads.is_depot(position); --position) --mask.route_start_rank;
  return mask;
}

}  // namespace neuopt::env
