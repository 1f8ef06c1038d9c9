// Exchanging any number of edges of a long tour at once.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace neuopt::search {

using Edge = std::pair<int, int>;

/// A tour with the position of each node.
struct LongTour {
  std::vector<int> order, position;

  explicit LongTour(std::span<const int> nodes);
  int size() const { return static_cast<int>(order.size()); }
  int after(int node) const {
    const int p = position[static_cast<std::size_t>(node)] + 1;
    return order[static_cast<std::size_t>(p < size() ? p : 0)];
  }
  int before(int node) const {
    const int p = position[static_cast<std::size_t>(node)];
    return order[static_cast<std::size_t>(p > 0 ? p - 1 : size() - 1)];
  }
};

/// Replaces edges of the tour by as many others at the same ends. Returns false, and changes nothing, when an edge to
/// be removed is not there or the result would not be one cycle.
bool exchange_edges(LongTour& tour, std::span<const Edge> removed, std::span<const Edge> added);

}  // namespace neuopt::search
