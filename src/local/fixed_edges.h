// Edges that no neighbourhood may remove, as pairs, so that they survive when a part of the tour is turned round.
#pragma once

#include <cstdint>

#include "core/host_device.h"

namespace neuopt::local {

struct FixedEdges {
  const std::int32_t* partners = nullptr;  // (N, 2) the other ends of a node's fixed edges, -1: none; null: all free

  /// Depots are copies of one place: an edge to one of them is an edge to any.
  NEUOPT_HD bool has(int depots, int a, int b) const {
    if (partners == nullptr) return false;
    const int node = a < depots ? b : a, other = a < depots ? a : b;
    return node >= depots &&
           (matches(depots, partners[2 * node], other) || matches(depots, partners[2 * node + 1], other));
  }

 private:
  NEUOPT_HD static bool matches(int depots, int partner, int other) {
    return partner == other || (partner >= 0 && partner < depots && other < depots);
  }
};

/// The pairs of a tour whose edges are marked: mark[node] is not 0 when the edge from the node to its successor is
/// fixed. The entries of depots stay empty: the customers know.
NEUOPT_HD void write_fixed_edges(int nodes, int depots, const std::int32_t* order, const std::uint8_t* mark,
                                 std::int32_t* partners) {
  for (int i = 0; i < 2 * nodes; ++i) partners[i] = -1;
  const auto add = [&](int node, int other) {
    if (node >= depots) partners[2 * node + (partners[2 * node] < 0 ? 0 : 1)] = other;
  };
  for (int p = 0; p < nodes; ++p) {
    const int node = order[p], successor = order[p + 1 < nodes ? p + 1 : 0];
    if (mark[node] == 0) continue;
    add(node, successor);
    add(successor, node);
  }
}

}  // namespace neuopt::local
