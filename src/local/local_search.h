// Local search from a tour down to one that no neighbourhood improves: one structure for each problem, found by its
// type, that runs in the same way serially on a host and in the lanes of a warp, to the bit.
//
// A node is taken from the queue; all moves that join it to one of its neighbours are looked at; the best one, the
// first of equals, is applied if it gains; the nodes whose edges changed queue again. When the queue has run empty,
// every node is looked at once more, until that changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "env/problems/problems.h"
#include "local/best_move.h"
#include "local/neighbours.h"

namespace neuopt::local {

struct LocalRules {
  double penalty = 1e6;     // cost of one unit of violation; the default allows none that can be mended
  bool swap_star = true;    // the most expensive neighbourhood of the CVRP
  bool to_the_end = true;   // look at every node once more when the queue has run empty, until nothing changes
  int moves_per_node = 50;  // bound on the moves of one search, so that none runs forever
};

/// One search's inputs.
struct LocalTask {
  env::InstanceView instance;
  NeighbourView neighbours;
  LocalRules rules;
};

struct Polished {
  double cost;      // of the tour, without penalties
  float violation;  // as the search counts it; 0 when feasible
  int moves;        // applied
};

/// Asked before every node whether the search may go on: always. On a host others may look at the clock; what was
/// reached stays.
struct Unhurried {
  NEUOPT_HD bool operator()() const { return true; }
};

/// What local search knows of a problem:
///   bytes(nodes)                                   of the workspace, aligned to 8 bytes
///   polish(lanes, task, order, workspace, go_on)   improves the tour in `order`, (N), which stays as the search wants
///                                                  it: node 0 first, depots of empty routes last
///   measure(lanes, instance, order, workspace)     of a tour
template <class Problem>
struct LocalSearch;

}  // namespace neuopt::local
