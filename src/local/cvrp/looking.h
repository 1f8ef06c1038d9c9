// What the neighbourhoods of the CVRP see.
#pragma once

#include "local/best_move.h"
#include "local/cvrp/routes.h"
#include "local/neighbours.h"

namespace neuopt::local {

struct CvrpView {
  env::InstanceView instance;
  NeighbourView neighbours;
  kopt::FixedEdges fixed;
  Routes routes;
  double penalty;  // of one unit of load above the capacity

  NEUOPT_HD double cost(int a, int b) const { return search_cost(instance, a, b); }
  /// Cost of the edge that leaves a node in a direction.
  NEUOPT_HD double edge(int node, int direction) const { return routes.edge(node, direction); }
  NEUOPT_HD bool is_free(int a, int b) const { return !fixed.has(a, b); }
  NEUOPT_HD int ahead(int node, int direction) const { return routes.ahead(node, direction); }
  NEUOPT_HD bool is_depot(int node) const { return routes.is_depot(node); }
  NEUOPT_HD int route(int node) const { return routes.route[node]; }
  NEUOPT_HD double demand(int node) const { return env::nodes_of<env::Cvrp>(instance)[node].demand; }

  NEUOPT_HD static double excess(double load) {
    const double over = load - static_cast<double>(kLoadLimit);
    return over > 0 ? over : 0;
  }
  NEUOPT_HD double total(int node) const { return routes.total(routes.route[node]); }
  NEUOPT_HD double load_cost(double load_a, double load_b) const { return penalty * (excess(load_a) + excess(load_b)); }
  /// What the loads of the routes of two nodes cost: no change of them saves more. Nothing in one route, where none
  /// changes.
  NEUOPT_HD double present_load_cost(int a, int b) const {
    return route(a) == route(b) ? 0 : load_cost(total(a), total(b));
  }
};

/// A pair of customers whose edge a move would add, and the direction in which the first one gives up an edge. Small,
/// so that lanes can hand it on.
struct CvrpPair {
  int node, neighbour;
  int unit;    // twice the neighbour's index, plus the direction
  float cost;  // of the new edge
  int excess;  // not 0: a route of the two is overloaded, so that loads can save something

  NEUOPT_HD int direction() const { return unit % 2; }
};

}  // namespace neuopt::local
