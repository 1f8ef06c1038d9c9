// Feasibility masking for K = 2, the usual way to keep a search inside the feasible region and the paper's comparison
// for GIRE: of the second choices, only those that lead to a feasible solution are left.
//
// How a policy uses it: start from a feasible solution; after the S-move make the mask; give every rank that
// legal_ranks or the mask refuses a probability of 0; choose and apply as usual. From a feasible solution rank 1, the
// void action, is always allowed, so that a choice is left, and every solution visited is feasible.
#pragma once

#include "env/problems/cvrp.h"
#include "kopt/action.h"

namespace neuopt::env {

/// What the answer for one anchor depends on besides the chosen node. Made once, then asked for each rank in O(1).
///
/// Choosing rank r turns round t_1 .. t_r. Within one route no load changes. Otherwise two routes change: the nodes up
/// to the anchor are followed by those up to t_r, and the nodes after the anchor by those after t_r; routes between
/// them are only traversed the other way.
struct TwoOptMask {
  int route_end_rank;     // ranks below it are in the anchor's route
  int route_start_rank;   // so are ranks from here on: the part of the route that comes before the anchor
  float up_to_anchor;     // load of the anchor's route up to and including the anchor
  float after_anchor;     // and after it
  int overloaded_routes;  // in the present tour
};

/// The mask for an anchor of a CVRP tour whose loads are computed. O(D + length of the anchor's route).
NEUOPT_HD TwoOptMask make_two_opt_mask(const InstanceView& instance, const kopt::TourView& tour,
                                       const Cvrp::Route* routes, int anchor) {
  const int anchor_position = tour.position[anchor];
  int end = 1;  // of the route, as a rank
  while (end < tour.nodes && !is_depot(instance, kopt::node_at_rank(tour, anchor_position, end))) ++end;
  int before = 0;  // nodes of the route before the anchor
  while (!is_depot(instance, tour.order[anchor_position - before])) ++before;
  int overloaded = 0;
  for (int depot = 0; depot < instance.depots; ++depot) overloaded += Cvrp::exceeds_capacity(routes[depot].after);
  return {end, tour.nodes - before, routes[anchor].up_to, routes[anchor].after, overloaded};
}

/// Whether choosing the node after this anchor (its rank is 1 .. N-2) leads to a feasible solution.
NEUOPT_HD bool leads_to_feasible(const TwoOptMask& mask, const Cvrp::Route* routes, int node, int rank) {
  if (rank < mask.route_end_rank || rank >= mask.route_start_rank) return mask.overloaded_routes == 0;
  const float up_to = routes[node].up_to, after = routes[node].after;
  const int overloaded_here =
      Cvrp::exceeds_capacity(mask.up_to_anchor + mask.after_anchor) + Cvrp::exceeds_capacity(up_to + after);
  return mask.overloaded_routes == overloaded_here && !Cvrp::exceeds_capacity(mask.up_to_anchor + up_to) &&
         !Cvrp::exceeds_capacity(mask.after_anchor + after);
}

}  // namespace neuopt::env
