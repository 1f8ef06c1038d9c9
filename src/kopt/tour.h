// A tour as the search keeps it: the nodes in order of position, and the position of each node. Node 0 is always at
// position 0. Orientation matters: positions are an input of the policy network.
#pragma once

#include "core/host_device.h"

namespace neuopt::kopt {

struct TourView {
  int nodes;      // N
  int* order;     // (N) node at each position; order[0] == 0
  int* position;  // (N) position of each node
};

/// value modulo n, for -n <= value < 2n.
NEUOPT_HD int wrap(int value, int n) {
  if (value < 0) return value + n;
  return value < n ? value : value - n;
}

/// The same for 0 <= value < 2n, in the inner loops.
NEUOPT_HD int wrap_above(int value, int n) { return value < n ? value : value - n; }

/// Definition 1 of the paper: edges from the anchor to a node along the tour.
NEUOPT_HD int rank_of(const TourView& tour, int anchor_position, int node) {
  return wrap(tour.position[node] - anchor_position, tour.nodes);
}

/// The node of a rank; rank N is the anchor again.
NEUOPT_HD int node_at_rank(const TourView& tour, int anchor_position, int rank) {
  return tour.order[wrap_above(anchor_position + rank, tour.nodes)];
}

}  // namespace neuopt::kopt
