// The action factorisation of the paper: one S-move, then I-moves, then an E-move. An action is built by choosing at
// most K nodes; what a choice means follows from its rank.
#pragma once

#include "kopt/tour.h"

namespace neuopt::kopt {

/// K at most: basis moves of one action.
inline constexpr int kMostMoves = 64;

/// The ranks that may be chosen, both ends included. A range of [N, N] means the anchor, and it is the E-move.
struct LegalRanks {
  int first;
  int last;

  /// Whether a node of this rank (0 for the anchor) may be chosen among N nodes.
  NEUOPT_HD bool allows(int rank, int nodes) const {
    const int lifted = rank == 0 ? nodes : rank;
    return first <= lifted && lifted <= last;
  }
};

/// An action under construction. Its storage for the cuts (at least K - 1 entries) belongs to the caller.
struct Action {
  int nodes;            // N
  int anchor;           // node chosen by the S-move
  int anchor_position;  // its position in the tour
  int last_rank;        // rank of the last chosen node; 0 after the S-move
  bool closed;          // an E-move has been chosen
  int cut_count;        // I-moves so far; the exchange is a (cut_count + 1)-opt
  int* cuts;            // ranks chosen by the I-moves, ascending
};

/// S-move: removes the edge from the anchor to its successor. Any node but `previous_anchor` may be chosen.
NEUOPT_HD Action start_action(const TourView& tour, int anchor, int* cut_storage) {
  return Action{tour.nodes, anchor, tour.position[anchor], 0, false, 0, cut_storage};
}

/// What may be chosen next. The first choice after the S-move leaves out rank N-1, which would undo it; later ones take
/// any higher rank; when none is left, the anchor closes the tour.
NEUOPT_HD LegalRanks legal_ranks(const Action& action) {
  if (action.last_rank == 0) return {1, action.nodes - 2};
  if (action.last_rank == action.nodes - 1) return {action.nodes, action.nodes};
  return {action.last_rank + 1, action.nodes - 1};
}

/// Whether choosing this rank (0: the anchor) is the E-move, which removes no edge.
NEUOPT_HD bool is_closing(const Action& action, int rank) {
  return (rank == 0 ? action.nodes : rank) == action.last_rank + 1;
}

/// I-move, or E-move when the node is the successor of the last chosen one. `rank` must be legal (0: the anchor).
NEUOPT_HD void choose(Action& action, int rank) {
  const int lifted = rank == 0 ? action.nodes : rank;
  if (is_closing(action, rank)) {
    action.closed = true;
  } else {
    action.cuts[action.cut_count++] = lifted;
    action.last_rank = lifted;
  }
}

/// The endpoint of lower rank of the open path: source of the next new edge, input of the edge stream lambda.
/// The anchor after the S-move, then the successor of the choice before last.
NEUOPT_HD int open_end_rank(const Action& action) {
  if (action.cut_count == 0) return 0;
  return action.cut_count == 1 ? 1 : action.cuts[action.cut_count - 2] + 1;
}

}  // namespace neuopt::kopt
