// Whether an exchange overloads a route, without making it: a tour after an exchange consists of pieces of the old one,
// some of them reversed, and loads change only where pieces meet.
#pragma once

#include <cstdint>

#include "env/problems/cvrp.h"
#include "kopt/action.h"
#include "kopt/tour.h"

namespace neuopt::env {

/// The loads of a CVRP tour, read from the node features: backends and trainer have those at hand wherever they choose.
struct LoadRows {
  const float* features = nullptr;      // (N, width); null: there are no loads
  const std::int32_t* order = nullptr;  // node at each position where rows are in node order; null: in tour order
  int width = Cvrp::traits.features;    // of a row

  NEUOPT_HD float up_to(int position) const { return row(position)[2]; }
  NEUOPT_HD float after(int position) const { return row(position)[4]; }
  NEUOPT_HD bool is_depot(int position) const { return row(position)[5] > 0; }

 private:
  NEUOPT_HD const float* row(int position) const {
    return features + (order == nullptr ? position : order[position]) * width;
  }
};

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

/// The loads of a tour as they are seen from an anchor. Nodes are given by their ranks.
struct AnchorLoads {
  LoadRows loads;  // of the tour; without features everything is feasible
  int nodes = 0, anchor = 0;
  int overloaded = 0;     // routes of the tour as it is
  int first_depot = 0;    // rank of the first depot behind the anchor, which may be N, the anchor itself
  int anchors_depot = 0;  // rank of the depot at which the anchor's route begins; N: the anchor itself

  NEUOPT_HD bool any() const { return loads.features != nullptr; }
  NEUOPT_HD float up_to(int rank) const { return loads.up_to(at(rank)); }
  NEUOPT_HD float after(int rank) const { return loads.after(at(rank)); }
  NEUOPT_HD int overload(int rank) const { return exceeds_capacity(up_to(rank) + after(rank)) ? 1 : 0; }

  /// Rank of the first depot behind this one; N + 1: none before the anchor.
  NEUOPT_HD int next_depot(int rank) const {
    for (++rank; rank <= nodes && !loads.is_depot(at(rank));) ++rank;
    return rank;
  }

  /// Of the exchange of two edges whose other one begins at this rank, which turns round what lies between them. Within
  /// the anchor's route no load changes:
  NEUOPT_HD bool within_route(int rank) const { return rank < first_depot || rank >= anchors_depot; }
  /// Otherwise two routes change: the nodes up to the anchor are followed by those up to this rank, and the nodes after
  /// the anchor by those after it; routes between them are only traversed the other way.
  NEUOPT_HD bool changed_routes_fit(int rank) const {
    return !exceeds_capacity(up_to(0) + up_to(rank)) && !exceeds_capacity(after(0) + after(rank));
  }

  /// Whether that exchange leads to a feasible tour.
  NEUOPT_HD bool feasible_with(int rank) const {
    if (!any()) return true;
    if (within_route(rank)) return overloaded == 0;
    return changed_routes_fit(rank) && overload(0) + overload(rank) == overloaded;
  }

 private:
  NEUOPT_HD int at(int rank) const { return kopt::wrap_above(anchor + rank, nodes); }
};

NEUOPT_HD AnchorLoads loads_from(const LoadRows& loads, int nodes, int overloaded, int anchor) {
  AnchorLoads result{loads, nodes, anchor, overloaded, nodes, nodes};
  if (!result.any()) return result;
  result.first_depot = result.next_depot(0);
  for (int position = anchor; position > 0 && !loads.is_depot(position); --position) --result.anchors_depot;
  return result;
}

/// Those of an action with its cuts so far, for judging what it may become.
struct ExchangeLoads {
  LoadPiece before;    // what follows the anchor, up to the last cut, as it will be
  int touched = 0;     // overloaded routes among the anchor's and those of the cuts
  int last_rank = 0;   // of the last cut
  int next_depot = 0;  // rank of the first depot behind it

  ExchangeLoads() = default;
  /// Before the first cut.
  NEUOPT_HD explicit ExchangeLoads(const AnchorLoads& anchor) {
    if (anchor.any()) touched = anchor.overload(0), next_depot = anchor.first_depot;
  }

  /// Whether closing the tour leads to a feasible one.
  NEUOPT_HD bool feasible(const AnchorLoads& anchor) const {
    return !anchor.any() || all_fit(anchor, before, last_rank, touched);
  }

  /// The same after a further cut of higher rank.
  NEUOPT_HD bool feasible_with(const AnchorLoads& anchor, int rank) const {
    if (!anchor.any()) return true;
    return all_fit(anchor, join(before, reversed_to(anchor, rank)), rank, touched + newly_touched(anchor, rank));
  }

  NEUOPT_HD void cut(const AnchorLoads& anchor, int rank) {
    if (!anchor.any()) return;
    touched += newly_touched(anchor, rank);
    before = join(before, reversed_to(anchor, rank));
    last_rank = rank;
    if (next_depot <= rank) next_depot = anchor.next_depot(rank);
  }

 private:
  /// A rank without a depot between it and the last cut is in the same route.
  NEUOPT_HD int newly_touched(const AnchorLoads& anchor, int rank) const {
    return next_depot <= rank ? anchor.overload(rank) : 0;
  }

  /// What lies behind the last cut up to this rank, turned round.
  NEUOPT_HD LoadPiece reversed_to(const AnchorLoads& anchor, int rank) const {
    const float up_to = anchor.up_to(rank);
    if (next_depot <= rank) return {true, up_to, anchor.after(last_rank), true};
    const float load = up_to - anchor.up_to(last_rank);
    return {false, load, load, true};
  }

  /// `part` and, as it is, what lies behind this rank up to the anchor.
  NEUOPT_HD static bool all_fit(const AnchorLoads& anchor, const LoadPiece& part, int rank, int touched_routes) {
    const float up_to_anchor = anchor.up_to(0);
    LoadPiece rest{true, anchor.after(rank), up_to_anchor, true};
    if (anchor.anchors_depot <= rank) {  // then the anchor's route is that of this rank, and was counted twice
      rest.depot = false;
      rest.first = rest.last = up_to_anchor - anchor.up_to(rank);
      touched_routes -= anchor.overload(rank);
    }
    const LoadPiece all = join(part, rest);
    return touched_routes == anchor.overloaded && all.fits && !exceeds_capacity(all.last + all.first);
  }
};

template <class Lanes>
NEUOPT_HD int overloaded_routes(Lanes lanes, const LoadRows& loads, int nodes) {
  if (loads.features == nullptr) return 0;
  return lanes.count(0, nodes, [&](int p) { return loads.is_depot(p) && exceeds_capacity(loads.after(p)); });
}

}  // namespace neuopt::env
