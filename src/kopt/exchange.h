// Applying an action. With t_0 = anchor, t_1, ... the tour in order of rank and r_1 < r_2 < ... the cuts, the new tour
// is t_0, then t_1..t_(r_1) reversed, then t_(r_1+1)..t_(r_2) reversed, and so on, then the rest as it was.
#pragma once

#include "core/lanes.h"
#include "kopt/action.h"

namespace neuopt::kopt {

/// Rank after the exchange of the node whose rank before it is given.
NEUOPT_HD int rank_after(const Action& action, int rank) {
  if (rank == 0) return 0;
  int segment_first = 1;
  for (int i = 0; i < action.cut_count; ++i) {
    const int segment_last = action.cuts[i];
    if (rank <= segment_last) return segment_first + segment_last - rank;
    segment_first = segment_last + 1;
  }
  return rank;
}

/// Calls edge(from, to, sign) for each edge that the exchange removes (-1) and adds (+1), as nodes.
template <class Edge>
NEUOPT_HD void for_each_changed_edge(const TourView& tour, const Action& action, Edge&& edge) {
  if (action.cut_count == 0) return;
  const auto node = [&](int rank) { return node_at_rank(tour, action.anchor_position, rank); };
  int open_end = 0;       // rank of the source of the next new edge
  int segment_first = 1;  // rank after the last removed edge
  edge(node(0), node(1), -1);
  for (int i = 0; i < action.cut_count; ++i) {
    const int cut = action.cuts[i];
    edge(node(open_end), node(cut), +1);
    edge(node(cut), node(cut + 1), -1);
    open_end = segment_first;
    segment_first = cut + 1;
  }
  edge(node(open_end), node(segment_first), +1);
}

/// Replaces the tour by the one after the exchange. `scratch` has room for N nodes. Lanes agree on all arguments and
/// have synchronised before the call; they are synchronised after it.
template <class Lanes>
NEUOPT_HD void apply_exchange(Lanes lanes, const TourView& tour, const Action& action, int* scratch) {
  if (action.cut_count == 0) return;
  const int n = tour.nodes;
  const int new_rank_of_zero = rank_after(action, wrap(-action.anchor_position, n));
  const int new_anchor_position = wrap(-new_rank_of_zero, n);  // node 0 stays in front
  const auto move = [&](int old_rank, int new_rank) {
    const int node = node_at_rank(tour, action.anchor_position, old_rank);
    const int p = wrap_above(new_anchor_position + new_rank, n);
    scratch[p] = node;
    tour.position[node] = p;
  };
  int first = 1;
  for (int i = 0; i < action.cut_count; ++i) {
    const int last = action.cuts[i];
    for (int rank = first + lanes.first(); rank <= last; rank += lanes.stride()) move(rank, first + last - rank);
    first = last + 1;
  }
  for (int rank = first + lanes.first(); rank <= n; rank += lanes.stride()) move(rank, rank);  // up to the anchor
  lanes.sync();
  for (int p = lanes.first(); p < n; p += lanes.stride()) tour.order[p] = scratch[p];
  lanes.sync();
}

}  // namespace neuopt::kopt
