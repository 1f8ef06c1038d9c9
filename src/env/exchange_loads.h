// Whether an exchange overloads a route, without making it: a tour after an exchange consists of pieces of the old one,
// some of them reversed, and loads change only where pieces meet.
#pragma once

#include "env/masking.h"
#include "kopt/action.h"

namespace neuopt::env {

/// A piece of a tour: the load up to its first depot, and that from its last depot on. Without a depot both are the
/// load of the whole piece.
struct LoadPiece {
  bool depot = false;
  float first = 0, last = 0;
  bool fits = true;  // the routes that begin and end inside
};

/// Two pieces, one behind the other.
NEUOPT_HD LoadPiece join(const LoadPiece& a, const LoadPiece& b) {
  const bool fits = a.fits && b.fits && !(a.depot && b.depot && exceeds_capacity(a.last + b.first));
  return {a.depot || b.depot, a.depot ? a.first : a.first + b.first, b.depot ? b.last : a.last + b.last, fits};
}

/// An action with its cuts so far, for judging those that it may become.
struct ExchangeLoads {
  LoadRows loads;  // of the tour; without features everything is feasible
  int nodes = 0, anchor = 0;
  int overloaded = 0;     // routes of the tour as it is
  int touched = 0;        // of these, the anchor's and those of the cuts
  LoadPiece before;       // what follows the anchor, up to the last cut, as it will be
  int last_rank = 0;      // of the last cut
  int next_depot = 0;     // rank of the first depot behind it; N + 1: none before the anchor
  int anchors_depot = 0;  // rank of the depot at which the anchor's route begins; N: the anchor itself

  /// Whether closing the tour leads to a feasible one.
  NEUOPT_HD bool feasible() const { return loads.features == nullptr || all_fit(before, last_rank, touched); }

  /// The same after a further cut of higher rank.
  NEUOPT_HD bool feasible_with(int rank) const {
    if (loads.features == nullptr) return true;
    return all_fit(join(before, reversed_to(rank)), rank, touched + newly_touched(rank));
  }

  NEUOPT_HD void cut(int rank) {
    if (loads.features == nullptr) return;
    touched += newly_touched(rank);
    before = join(before, reversed_to(rank));
    last_rank = rank;
    find_next_depot();
  }

  NEUOPT_HD void find_next_depot() {
    if (next_depot > last_rank) return;
    next_depot = last_rank + 1;
    while (next_depot <= nodes && !loads.is_depot(at(next_depot))) ++next_depot;
  }

 private:
  NEUOPT_HD int at(int rank) const { return kopt::wrap_above(anchor + rank, nodes); }

  NEUOPT_HD int overload(int rank) const {
    return exceeds_capacity(loads.up_to(at(rank)) + loads.after(at(rank))) ? 1 : 0;
  }
  /// A rank without a depot between it and the last cut is in the same route.
  NEUOPT_HD int newly_touched(int rank) const { return next_depot <= rank ? overload(rank) : 0; }

  /// What lies behind the last cut up to this rank, turned round.
  NEUOPT_HD LoadPiece reversed_to(int rank) const {
    const float up_to = loads.up_to(at(rank));
    if (next_depot <= rank) return {true, up_to, loads.after(at(last_rank)), true};
    const float load = up_to - loads.up_to(at(last_rank));
    return {false, load, load, true};
  }

  /// `part` and, as it is, what lies behind this rank up to the anchor.
  NEUOPT_HD bool all_fit(const LoadPiece& part, int rank, int touched_routes) const {
    const float up_to_anchor = loads.up_to(anchor);
    LoadPiece rest{true, loads.after(at(rank)), up_to_anchor, true};
    if (anchors_depot <= rank) {  // then the anchor's route is that of this rank, and was counted twice
      rest.depot = false;
      rest.first = rest.last = up_to_anchor - loads.up_to(at(rank));
      touched_routes -= overload(rank);
    }
    const LoadPiece all = join(part, rest);
    return touched_routes == overloaded && all.fits && !exceeds_capacity(all.last + all.first);
  }
};

NEUOPT_HD int overloaded_routes(const LoadRows& loads, int nodes) {
  int count = 0;
  for (int p = 0; loads.features != nullptr && p < nodes; ++p)
    count += loads.is_depot(p) && exceeds_capacity(loads.after(p)) ? 1 : 0;
  return count;
}

/// After the S-move at a position.
NEUOPT_HD ExchangeLoads loads_from(const LoadRows& loads, int nodes, int overloaded, int anchor) {
  ExchangeLoads result;
  result.loads = loads, result.nodes = nodes, result.anchor = anchor, result.overloaded = overloaded;
  if (loads.features == nullptr) return result;
  result.touched = exceeds_capacity(loads.up_to(anchor) + loads.after(anchor)) ? 1 : 0;
  result.anchors_depot = nodes;
  for (int position = anchor; position > 0 && !loads.is_depot(position); --position) --result.anchors_depot;
  result.find_next_depot();
  return result;
}

}  // namespace neuopt::env
