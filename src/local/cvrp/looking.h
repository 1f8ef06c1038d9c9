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

  NEUOPT_HD double cost(int a, int b) const { return env::edge_cost(instance, a, b); }
  /// Cost of the edge that leaves a node in a direction.
  NEUOPT_HD double edge(int node, int direction) const { return routes.edge[direction][node]; }
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
  /// What the loads of the two routes cost at present: no change of loads saves more.
  NEUOPT_HD double load_cost(double load_a, double load_b) const { return penalty * (excess(load_a) + excess(load_b)); }
};

/// A pair of customers whose edge a move would add, and the direction in which the first one gives up an edge.
struct CvrpPair {
  int node, neighbour, direction;
  double cost;  // of the new edge
  bool same_route;
  double node_load, neighbour_load;  // of their routes
  double load_cost;                  // of these loads; 0 in one route, where no load changes
};

NEUOPT_HD CvrpPair cvrp_pair(const CvrpView& view, int node, int neighbour, int direction) {
  CvrpPair pair{node,
                neighbour,
                direction,
                view.cost(node, neighbour),
                view.route(node) == view.route(neighbour),
                view.total(node),
                view.total(neighbour),
                0};
  if (!pair.same_route) pair.load_cost = view.load_cost(pair.node_load, pair.neighbour_load);
  return pair;
}

}  // namespace neuopt::local
