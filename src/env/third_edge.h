// Exchanges of three edges that begin with one of a few first cuts behind an anchor: the best of them.
#pragma once

#include "env/prospect_state.h"

namespace neuopt::env {

struct FirstCut {
  int rank = 0;
  int closing = 0;      // position at which the edge begins that will close the tour
  float open = 0;       // what the edges changed up to the cut add to the cost
  ExchangeLoads loads;  // with the cut
};

/// An anchor looks behind so many at most.
inline constexpr int kFirstCuts = 8;

/// A cut whose new edge is `added` long.
NEUOPT_HD FirstCut first_cut(const ProspectState& state, const AnchorLoads& anchor, int rank, float added) {
  const int cut = kopt::wrap_above(anchor.anchor + rank, state.nodes);
  FirstCut result{rank, state.next(cut), added - state.edge(anchor.anchor) - state.edge(cut), ExchangeLoads(anchor)};
  result.loads.cut(anchor, rank);
  return result;
}

/// The change by the best of the exchanges that is feasible and removes no fixed edge, if it is below `best`, in every
/// lane.
template <class Lanes>
NEUOPT_HD float best_with_third_edge(Lanes lanes, const ProspectState& state, const AnchorLoads& anchor,
                                     const FirstCut* cuts, int count, float best) {
  const TourLengths& length = state.length;
  const int after = state.next(anchor.anchor);
  int begin = state.nodes;
  for (int i = 0; i < count; ++i) begin = cuts[i].rank + 2 < begin ? cuts[i].rank + 2 : begin;
  for (int second = begin + lanes.first(); second < state.nodes; second += lanes.stride()) {
    const int last = kopt::wrap_above(anchor.anchor + second, state.nodes), end = state.next(last);
    if (state.is_fixed(last, end)) continue;
    const float more = length(after, last) - state.edge(last);
    for (int i = 0; i < count; ++i) {
      const FirstCut& cut = cuts[i];
      if (second < cut.rank + 2 || cut.open + more >= best) continue;  // no edge is shorter than nothing
      const float change = cut.open + more + length(cut.closing, end);
      if (change < best && cut.loads.feasible_with(anchor, second)) best = change;
    }
  }
  return lanes.least(best);
}

}  // namespace neuopt::env
