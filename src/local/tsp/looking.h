// What the neighbourhoods of the TSP see.
#pragma once

#include "env/instance_view.h"
#include "local/best_move.h"
#include "local/neighbours.h"
#include "local/tsp/array_tour.h"

namespace neuopt::local {

struct TspView {
  env::InstanceView instance;
  NeighbourView neighbours;
  kopt::FixedEdges fixed;
  kopt::TourView tour;

  NEUOPT_HD double cost(int a, int b) const { return env::edge_cost(instance, a, b); }
  NEUOPT_HD bool is_free(int a, int b) const { return !fixed.has(a, b); }
  NEUOPT_HD int ahead(int node, int direction) const { return local::ahead(tour, node, direction); }
};

/// A pair of nodes whose edge a move would add, and the direction in which edges are given up for it.
struct TspPair {
  int node, neighbour, direction;
  double cost;  // of the new edge
};

}  // namespace neuopt::local
