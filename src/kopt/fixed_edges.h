// Edges that no exchange may remove, as pairs, so that they survive when a part of the tour is turned round.
#pragma once

#include <cstdint>

#include "core/host_device.h"
#include "kopt/tour.h"

namespace neuopt::kopt {

struct FixedEdges {
  const std::int32_t* partners = nullptr;  // (N, 2) the other ends of a node's fixed edges, -1: none; null: all free
  int depots = 0;                          // nodes 0 .. depots-1 are copies of one place: an edge to one is one to any

  NEUOPT_HD bool any() const { return partners != nullptr; }

  NEUOPT_HD bool has(int a, int b) const {
    if (partners == nullptr) return false;
    const int node = a < depots ? b : a, other = a < depots ? a : b;
    return node >= depots && (matches(partners[2 * node], other) || matches(partners[2 * node + 1], other));
  }

  /// Whether the edge from a position of the tour to the next one is fixed.
  NEUOPT_HD bool has_after(const TourView& tour, int position) const {
    return partners != nullptr && has(tour.order[position], tour.order[wrap_above(position + 1, tour.nodes)]);
  }

 private:
  NEUOPT_HD bool matches(int partner, int other) const {
    return partner == other || (partner >= 0 && partner < depots && other < depots);
  }
};

}  // namespace neuopt::kopt
