// Exchanges of three edges that have an anchor and begin with one of a few first cuts: the best of them.
#pragma once

#include "env/prospect_state.h"

namespace neuopt::env {

struct FirstCuts {
  static constexpr int kMost = 8;

  int count = 0;
  int rank[kMost];     // of each cut, in the order of `added`
  float added[kMost];  // length of its new edge
  // As best_with_third_edge() prepares them:
  float open[kMost];           // what the edges changed up to the cut add to the cost
  int closing[kMost];          // position at which the edge begins that will close the tour
  ExchangeLoads loads[kMost];  // with the cut

  /// Takes a cut if there is room, or one with a longer new edge to leave out.
  NEUOPT_HD void offer(int cut, float length) {
    if (count == kMost && length >= added[kMost - 1]) return;
    int i = count < kMost ? count++ : kMost - 1;
    for (; i > 0 && added[i - 1] > length; --i) added[i] = added[i - 1], rank[i] = rank[i - 1];
    added[i] = length, rank[i] = cut;
  }

  /// Cuts with longer new edges need not be offered; `unbounded`, as long as there is room.
  NEUOPT_HD float longest(float unbounded) const { return count == kMost ? added[kMost - 1] : unbounded; }

  /// The change by the best exchange that is feasible and removes no fixed edge, if it is below `best`, in every lane.
  /// `before`: the anchor's loads.
  template <class Lanes>
  NEUOPT_HD float best_with_third_edge(Lanes lanes, const ProspectState& state, const ExchangeLoads& before,
                                       float best) {
    const TourLengths& length = state.length;
    const int anchor = before.anchor, after = state.next(anchor);
    const int begin = prepare(state, before) + 2;
    for (int second = begin + lanes.first(); second < state.nodes; second += lanes.stride()) {
      const int last = kopt::wrap_above(anchor + second, state.nodes), end = state.next(last);
      if (state.is_fixed(last, end)) continue;
      const float more = length(after, last) - length(last, end);
      for (int i = 0; i < count; ++i) {
        if (second < rank[i] + 2) continue;
        const float change = open[i] + more + length(closing[i], end);
        if (change < best && loads[i].feasible_with(second)) best = change;
      }
    }
    return lanes.least(best);
  }

 private:
  /// Returns the lowest rank.
  NEUOPT_HD int prepare(const ProspectState& state, const ExchangeLoads& before) {
    const int anchor = before.anchor;
    const float removed = state.length(anchor, state.next(anchor));
    int lowest = state.nodes;
    for (int i = 0; i < count; ++i) {
      if (rank[i] < lowest) lowest = rank[i];
      const int cut = kopt::wrap_above(anchor + rank[i], state.nodes);
      closing[i] = state.next(cut);
      open[i] = added[i] - removed - state.length(cut, closing[i]);
      loads[i] = before;
      loads[i].cut(rank[i]);
    }
    return lowest;
  }
};

}  // namespace neuopt::env
