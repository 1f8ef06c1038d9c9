// What choices lead to: the cost of the tour that a choice would make if the path were closed right behind it, or of
// the best one that is an edge or two away, which follows from a few edges. A network may be told
// (policy::Architecture::prospects), since embeddings do not hold lengths to the thousandth of a tour that decides late
// in a search.
#pragma once

#include <cmath>
#include <cstdint>

#include "env/third_edge.h"
#include "kopt/choices.h"

namespace neuopt::env {

/// Whether they are known of a problem: where windows are, a part of a route that is reversed may be late.
constexpr bool knows_prospects(ProblemKind kind) {
  static_assert(written_for(3), "can exchanges of a new problem be judged by loads alone?");
  return !traits(kind).windows;
}

/// Costs of one choice.
struct Prospect {
  float change;     // of the tour's cost, with the path closed behind the choice; of an anchor, and of a choice that
                    // looks further: by the best exchange that is feasible and removes no fixed edge
  float open;       // what the edges changed so far add to the cost, the closing one not among them
  bool infeasible;  // that tour overloads a route
  bool closing;     // the E-move

  NEUOPT_HD float feasible_change() const { return infeasible ? kNoProspect : change; }
  /// Takes the change by a feasible exchange that begins with this choice, if there is one.
  NEUOPT_HD void improve(float best) {
    if (best < kNoProspect) change = best, infeasible = false;
  }
};

/// The prospects of all choices at one decoding step.
struct StepProspects {
  ProspectState state;
  int overloaded;  // routes of the tour as it is
  bool start_move;
  // Later steps:
  kopt::Action action;
  AnchorLoads anchor_loads;
  ExchangeLoads loads_after;
  int open_end, after_last;  // positions: of the source of the next new edge, and of the successor of the last choice
  float so_far;              // what the edges changed so far add to the cost

  /// Whether a position may be chosen at all.
  NEUOPT_HD bool has(int position) const {
    const int rank = kopt::wrap(position - action.anchor_position, state.nodes);
    return start_move || kopt::legal_ranks(action).allows(rank, state.nodes);
  }

  /// Of a choice right behind which the tour is closed; of an anchor, with its best exchange of two edges.
  NEUOPT_HD Prospect at(int position) const { return start_move ? of_anchor(position) : of_continuation(position); }

  /// Whether an exchange of three edges that goes on from a choice could do better than that: the first two choices
  /// are worth a look, if what they change so far gains.
  NEUOPT_HD bool looks_further(int position, const Prospect& prospect) const {
    const bool early = start_move || action.cut_count == 0;
    return early && state.foresight > 2 && prospect.open < 0 && !prospect.closing &&
           !state.is_fixed(position, next(position));
  }

  /// The change by the best of these exchanges that is feasible and removes no fixed edge, or `best` where none is
  /// below it. Of an anchor's those are looked at whose first new edge is shorter than the removed one, and behind the
  /// kFirstCuts shortest of these, but for edges from place to same place: there are too many between depots. All lanes
  /// call together; they share `cuts` (kFirstCuts).
  template <class Lanes>
  NEUOPT_HD float best_of_three_edges(Lanes lanes, FirstCut* cuts, int position, float best) const {
    const AnchorLoads anchor = start_move ? loads_from(state.loads, state.nodes, overloaded, position) : anchor_loads;
    const auto take = [&](int slot, int rank, float added) { cuts[slot] = first_cut(state, anchor, rank, added); };
    int count = 1;
    if (start_move) {
      const auto added = [&](int rank) {
        const int other = at_rank(position, rank);
        const float length = state.length(position, other);
        return length > 0 && !state.is_fixed(other, next(other)) ? length : kNoCut;
      };
      count = lanes.template visit_least<kFirstCuts>(2, state.nodes - 2, state.edge(position), added, take);
    } else if (lanes.first() == 0) {
      take(0, kopt::wrap(position - action.anchor_position, state.nodes), state.length(open_end, position));
    }
    lanes.sync();
    if (count > 0) best = best_with_third_edge(lanes, state, anchor, cuts, count, best);
    lanes.sync();
    return best;
  }

 private:
  /// The length of a new edge that is not to be had: any edge is shorter, also where a matrix has edges above
  /// kNoProspect.
  static constexpr float kNoCut = INFINITY;

  NEUOPT_HD int next(int position) const { return state.next(position); }
  NEUOPT_HD int at_rank(int anchor, int rank) const { return kopt::wrap_above(anchor + rank, state.nodes); }

  NEUOPT_HD Prospect of_anchor(int anchor) const {
    const TourLengths& length = state.length;
    const AnchorLoads loads = loads_from(state.loads, state.nodes, overloaded, anchor);
    const int after = next(anchor);
    const float removed = state.edge(anchor);
    float best = kNoProspect;
    for (int rank = 2; rank < state.nodes - 1; ++rank) {
      const int other = at_rank(anchor, rank), behind = next(other);
      const float open = length(anchor, other) - removed - state.edge(other);
      if (open >= best) continue;  // no edge is shorter than nothing
      const float change = open + length(after, behind);
      if (change < best && !state.is_fixed(other, behind) && loads.feasible_with(rank)) best = change;
    }
    return {best, -removed, false, false};
  }

  NEUOPT_HD Prospect of_continuation(int position) const {
    const int rank = kopt::wrap(position - action.anchor_position, state.nodes);
    const float added = so_far + state.length(open_end, position);
    if (kopt::is_closing(action, rank)) return {added, added, !loads_after.feasible(anchor_loads), true};
    const float open = added - state.edge(position);
    return {open + state.length(after_last, next(position)), open, !loads_after.feasible_with(anchor_loads, rank),
            false};
  }
};

/// Of decoding step k (0: the S-move) after the choices in `action`, which is not looked at before the S-move.
template <class Lanes>
NEUOPT_HD StepProspects prospects_at(Lanes lanes, const ProspectState& state, int k, const kopt::Action& action) {
  const int nodes = state.nodes;
  const TourLengths& length = state.length;
  StepProspects step{.state = state,
                     .overloaded = overloaded_routes(lanes, state.loads, nodes),
                     .start_move = k == 0,
                     .action = action,
                     .anchor_loads = {},
                     .loads_after = {},
                     .open_end = 0,
                     .after_last = 0,
                     .so_far = 0};
  if (k == 0) return step;
  const auto at = [&](int rank) { return kopt::wrap_above(action.anchor_position + rank, nodes); };
  int open_end = 0, after_last = 1;  // ranks, as in kopt::for_each_changed_edge
  step.anchor_loads = loads_from(state.loads, nodes, step.overloaded, action.anchor_position);
  step.loads_after = ExchangeLoads(step.anchor_loads);
  step.so_far = -state.edge(at(0));
  for (int i = 0; i < action.cut_count; ++i) {
    const int cut = action.cuts[i];
    step.so_far += length(at(open_end), at(cut)) - state.edge(at(cut));
    step.loads_after.cut(step.anchor_loads, cut);
    open_end = after_last;
    after_last = cut + 1;
  }
  step.open_end = at(open_end);
  step.after_last = at(after_last);
  return step;
}

// As the network is told ----------------------------------------------------------------------------------------------

/// Numbers for each choice: eight where an edge is removed, seven for the E-move; those of the other kind are 0.
inline constexpr int kProspectFeatures = 15;
/// The first of each: 1 where the cost would fall below the best one by far more than a thousandth, 0 where it would
/// not by as much.
inline constexpr int kBelowBest = 0, kClosesBelowBest = 8;
/// Rows of the table of their weights: the S-move, the next two choices, and all later ones.
inline constexpr int kProspectRows = 4;
/// The weights are in units of this, so that they learn in steps as small as those of the other weights.
inline constexpr float kProspectUnit = 32;

NEUOPT_HD int prospect_row(int k) { return k < kProspectRows ? k : kProspectRows - 1; }

/// From 0, where costs rise, to 1, where they fall; steepest at 0.
NEUOPT_HD float graded(float change, float scale) { return 0.5f - 0.5f * change / (fabsf(change) + scale); }

/// Calls write(index, value) for the features that are not 0.
template <class Write>
NEUOPT_HD void for_each_prospect_feature(const Prospect& prospect, float above, Write&& write) {
  const float change = prospect.feasible_change();
  const int first = prospect.closing ? kClosesBelowBest : kBelowBest;
  write(first, graded(above + change, 0.001f));
  write(first + 1, graded(above + change, 0.01f));
  write(first + 2, graded(above + change, 0.1f));
  write(first + 3, graded(change, 0.01f));
  write(first + 4, graded(change, 0.1f));
  write(first + 5, prospect.infeasible ? 1.0f : 0.0f);
  if (prospect.closing) {
    write(first + 6, 1.0f);
  } else {
    write(first + 6, graded(prospect.open, 0.01f));
    write(first + 7, graded(prospect.open, 0.1f));
  }
}

/// What they add to the score of a choice. `weights`: (rows, features).
NEUOPT_HD float prospect_score(const Prospect& prospect, float above, int k, const float* weights) {
  const float* row = weights + prospect_row(k) * kProspectFeatures;
  float sum = 0;
  for_each_prospect_feature(prospect, above, [&](int i, float value) { sum += row[i] * value; });
  return kProspectUnit * sum;
}

/// Who tells what all choices of a step lead to: lanes, and which share of the choices is theirs.
template <class Lanes>
struct Tellers {
  Lanes lanes;
  FirstCut* cuts;  // (kFirstCuts) that the lanes share
  int share = 0, shares = 1;

  /// Calls visit(position) for all positions in their share, and in the last lanes for some behind the last one.
  template <class Visit>
  NEUOPT_HD void for_each_position(int nodes, Visit&& visit) const {
    for (int block = share * lanes.stride(); block < nodes; block += shares * lanes.stride())
      visit(block + lanes.first());
  }
};

/// The host: one lane for all choices.
struct HostTellers : Tellers<SerialLanes> {
  HostTellers() : Tellers{{}, cuts_} {}
  HostTellers(const HostTellers&) = delete;  // a copy would share its cuts
  HostTellers& operator=(const HostTellers&) = delete;

 private:
  FirstCut cuts_[kFirstCuts];
};

/// Calls tell(position, prospect) for all choices of their share, each in one of the lanes.
template <class Lanes, class Tell>
NEUOPT_HD void for_each_told(const Tellers<Lanes>& tellers, const StepProspects& step, Tell&& tell) {
  const Lanes& lanes = tellers.lanes;
  const int nodes = step.state.nodes;
  tellers.for_each_position(nodes, [&](int mine) {
    const bool has = mine < nodes && step.has(mine);
    Prospect prospect{};
    if (has) prospect = step.at(mine);
    const auto wanted = [&](int) { return has && step.looks_further(mine, prospect); };  // asked of `mine`
    const int block = mine - lanes.first(), end = block + lanes.stride();
    lanes.for_each_wanted(block, end < nodes ? end : nodes, wanted, [&](int position) {
      const float known = position == mine ? prospect.feasible_change() : kNoProspect;
      const float best = step.best_of_three_edges(lanes, tellers.cuts, position, lanes.least(known));
      if (position == mine) prospect.improve(best);
    });
    if (has) tell(mine, prospect);
  });
}

/// The same for one choice alone.
inline Prospect told_prospect(const StepProspects& step, int position) {
  Prospect prospect = step.at(position);
  FirstCut cuts[kFirstCuts];
  if (step.looks_further(position, prospect))
    prospect.improve(step.best_of_three_edges(SerialLanes{}, cuts, position, prospect.feasible_change()));
  return prospect;
}

/// Adds that to the scores (N) of decoding step k after k choices (positions).
template <class Lanes>
NEUOPT_HD void add_prospects(const Tellers<Lanes>& tellers, const ProspectState& state, const std::int32_t* choices,
                             int k, const float* weights, float* scores) {
  int cuts[kopt::kMostMoves];
  const kopt::Action action =
      k > 0 ? kopt::action_from_choices(choices, k, state.nodes, cuts) : kopt::start_at_position(0, state.nodes, cuts);
  if (action.closed) return;
  const StepProspects step = prospects_at(tellers.lanes, state, k, action);
  for_each_told(tellers, step, [&](int position, const Prospect& prospect) {
    scores[position] += prospect_score(prospect, state.above, k, weights);
  });
}

/// Writes the features (K, N, features) of all choices along the way of recorded ones (K); 0 after the E-move and for
/// what may not be chosen.
template <class Lanes>
NEUOPT_HD void write_prospects(const Tellers<Lanes>& tellers, const ProspectState& state, const std::int32_t* choices,
                               int max_moves, float* out) {
  int cuts[kopt::kMostMoves];
  kopt::Action action = kopt::start_at_position(choices[0], state.nodes, cuts);
  for (int k = 0; k < max_moves; ++k) {
    float* features = out + static_cast<long>(k) * state.nodes * kProspectFeatures;
    const auto of = [&](int position) { return features + static_cast<long>(position) * kProspectFeatures; };
    tellers.for_each_position(state.nodes, [&](int p) {
      for (int i = 0; p < state.nodes && i < kProspectFeatures; ++i) of(p)[i] = 0;
    });
    if (action.closed) continue;
    const StepProspects step = prospects_at(tellers.lanes, state, k, action);
    for_each_told(tellers, step, [&](int position, const Prospect& prospect) {
      for_each_prospect_feature(prospect, state.above, [&](int i, float value) { of(position)[i] = value; });
    });
    if (k > 0) kopt::choose_position(action, choices[k]);
  }
}

}  // namespace neuopt::env
