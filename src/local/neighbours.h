// The nearest customers of each customer: the only places that the neighbourhoods look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/host_device.h"
#include "core/until.h"
#include "problem/normalize.h"

namespace neuopt::local {

/// Neighbours as the search reads them, in the memory of host or device.
struct NeighbourView {
  const std::int32_t* lists;  // (customers, count) search nodes, nearest first
  int count;                  // of each list
  int depots;                 // the first customer's node

  NEUOPT_HD const std::int32_t* of(int customer) const { return lists + static_cast<long>(customer - depots) * count; }
};

struct Neighbours {
  int depots = 0;
  int count = 0;                    // the smaller of what was asked for and customers - 1
  std::vector<std::int32_t> lists;  // (customers, count)

  NeighbourView view() const { return {lists.data(), count, depots}; }
};

/// Fewer cost quality, in the CVRP above all; more cost time and gain little.
inline constexpr int kUsualNeighbours = 16;

/// The nearest customers of each customer by the cost of the edge, with time windows by that and what they force two
/// customers to wait or to be late when one is served right after the other, of equals the one with the smaller index;
/// depots are no neighbours. All pairs where there are few nodes or a matrix, a k-d tree else: there, equals at the end
/// of a list may be others than those with the smallest index, but always the same ones, whatever the number of
/// threads. In a TSP of more than 200 nodes two of each list lie in each quadrant around its node, if there are any:
/// lists of the nearest alone would not lead from one cluster to another. When `until` is over before the end, the
/// lists are empty.
Neighbours find_neighbours(const SearchInstance& instance, int count = kUsualNeighbours, int threads = 1,
                           const Until& until = {});

/// The same among some of the customers only: list i belongs to subset[i].
std::vector<std::vector<int>> neighbours_among(const SearchInstance& instance, std::span<const int> subset, int count,
                                               const Until& until = {});

}  // namespace neuopt::local
