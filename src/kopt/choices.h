// Decoding an action in terms of positions in the current tour, as batches of searches do it: which positions may be
// chosen, and what choices made so far stand for.
#pragma once

#include "kopt/action.h"

namespace neuopt::kopt {

/// What may be chosen at one decoding step.
struct LegalChoices {
  int nodes;
  bool start_move;  // any position but `excluded`
  int excluded;
  int anchor;  // later steps: ranks from the anchor
  LegalRanks ranks;
  int closing;  // later steps: the lifted rank of the E-move

  NEUOPT_HD bool allows(int position) const {
    if (start_move) return position != excluded;
    return ranks.allows(wrap(position - anchor, nodes), nodes);
  }

  /// Whether choosing a position that is allowed removes the edge to the next one: all but the E-move do.
  NEUOPT_HD bool removes_edge(int position) const {
    const int rank = wrap(position - anchor, nodes);
    return start_move || (rank == 0 ? nodes : rank) != closing;
  }
};

/// `previous_anchor` is a position; -1: none.
NEUOPT_HD LegalChoices legal_start(int nodes, int previous_anchor) {
  return LegalChoices{nodes, true, previous_anchor, 0, {0, 0}, 0};
}

/// fixed_k leaves out the E-move, the lowest rank, unless it is the only choice.
NEUOPT_HD LegalChoices legal_continuation(const Action& action, bool fixed_k) {
  LegalRanks ranks = legal_ranks(action);
  if (fixed_k && ranks.first < ranks.last) ++ranks.first;
  return LegalChoices{action.nodes, false, -1, action.anchor_position, ranks, action.last_rank + 1};
}

/// The S-move at a position. `anchor` holds the position until the caller replaces it by the node.
NEUOPT_HD Action start_at_position(int position, int nodes, int* cut_storage) {
  return Action{nodes, position, position, 0, false, 0, cut_storage};
}

/// Adds the choice of a position to an action that is open.
NEUOPT_HD void choose_position(Action& action, int position) {
  choose(action, wrap(position - action.anchor_position, action.nodes));
}

/// The action that choices (positions) stand for; those after an E-move are not looked at.
NEUOPT_HD Action action_from_choices(const int* choices, int count, int nodes, int* cut_storage) {
  Action action = start_at_position(choices[0], nodes, cut_storage);
  for (int k = 1; k < count && !action.closed; ++k) choose_position(action, choices[k]);
  return action;
}

/// Position that the edge stream reads after these choices.
NEUOPT_HD int edge_input_position(const Action& action) {
  return wrap(action.anchor_position + open_end_rank(action), action.nodes);
}

}  // namespace neuopt::kopt
