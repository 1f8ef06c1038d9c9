// What the neighbourhoods of the TSP see.
#pragma once

#include "env/instance_view.h"
#include "local/best_move.h"
#include "local/neighbours.h"
#include "local/search_cost.h"
#include "local/tsp/array_tour.h"

namespace neuopt::local {

struct TspView {
  env::InstanceView instance;
  NeighbourView neighbours;
  kopt::FixedEdges fixed;
  kopt::TourView tour;

  NEUOPT_HD double cost(int a, int b) const { return search_cost(instance, a, b); }
  NEUOPT_HD bool is_free(int a, int b) const { return !fixed.has(a, b); }
  NEUOPT_HD int ahead(int node, int direction) const { return local::ahead(tour, node, direction); }
};

/// A pair of nodes whose edge a move would add, and the direction in which edges are given up for it. Small, so that
/// lanes can hand it on.
struct TspPair {
  int node, neighbour;
  int unit;    // twice the neighbour's index, plus the direction
  float cost;  // of the new edge

  NEUOPT_HD int direction() const { return unit % 2; }
};

}  // namespace neuopt::local
