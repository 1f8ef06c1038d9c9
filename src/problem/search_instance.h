// What the search works on: an instance with its nodes in search order, its coordinates in the unit square, its
// demands in units of the capacity and its edge costs in single precision.
//
// Costs. With Metric::unit the cost of an edge is the Euclidean distance of `x`, `y`. With every other metric it is the
// distance by the file's convention divided by `cost_scale`, so that the search minimises exactly what the file counts
// and its values are still of the order of lengths in the unit square. There the scale is a power of two: integer
// distances below 2^24 stay exact in float, and so do their sums. Up to a few thousand nodes these costs lie in
// `matrix`, above they are computed whenever they are asked for, to the same values.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "problem/instance.h"
#include "problem/route_clock.h"

namespace neuopt {

/// Cost of an edge between two nodes of an Instance, as a matrix of the search holds it.
inline float scaled_distance(const Instance& instance, int from, int to, double scale) {
  return static_cast<float>(instance.distance(from, to) / scale);
}

struct SearchInstance {
  ProblemKind kind = ProblemKind::tsp;
  int depots = 0;                // D: search nodes 0..D-1 are copies of the depot, the customers follow (TSP: 0)
  int nodes = 0;                 // of the Instance = rows of `matrix`
  std::vector<float> x, y;       // [size] coordinates in the unit square, what the network sees
  std::vector<float> demand;     // [size] demand / capacity, 0 at depots (TSP: empty)
  std::vector<StopTimes> times;  // [size] in ticks since the depot opens; depots: the day (VRPTW; others: empty)
  TickRule ticks;                // how costs become travel times (VRPTW)
  float tick_length = 0;         // of a tick, in lengths of the unit square (VRPTW)
  std::vector<int> node_of;      // [size] search node -> node of the Instance
  std::vector<float> matrix;  // [nodes * nodes] costs between nodes of the Instance; empty with Metric::unit or `file`
  std::vector<int> fixed;     // [size * 2] the other ends of each node's fixed edges, -1: none; empty: all are free
  double cost_scale = 1;      // cost in the file's units = cost in the search * cost_scale

  /// The Instance, which must outlive this, where costs are computed from it; null elsewhere. Such costs are the host's
  /// alone: no session of the policy may be opened on them.
  const Instance* file = nullptr;

  /// Search nodes: the dummy depots, if any, and the customers.
  int size() const { return static_cast<int>(node_of.size()); }
  int customers() const { return size() - depots; }
  bool is_depot(int node) const { return node < depots; }
  /// Whether costs are the plain distances of `x`, `y`.
  bool euclidean() const { return matrix.empty() && file == nullptr; }

  /// By how much the cost of a tour may differ from what the file counts, in its units, because coordinates are
  /// rounded: each end of an edge by half a unit in the last place along both axes.
  double cost_error() const { return euclidean() ? size() * 0x1p-23 * cost_scale : 0; }

  /// Fixes the edge between two search nodes. Depots do not remember it: their customers do.
  void fix_edge(int a, int b);

  /// Cost of an edge between two search nodes, in the search's units. Two depots: 0.
  float edge_cost(int from, int to) const {
    if (!matrix.empty()) return matrix[static_cast<std::size_t>(node_of[from]) * nodes + node_of[to]];
    if (file != nullptr) return scaled_distance(*file, node_of[from], node_of[to], cost_scale);
    const float dx = x[from] - x[to], dy = y[from] - y[to];
    return std::sqrt(dx * dx + dy * dy);
  }

  /// Time from one search node to another, to the tick that of env::travel_time (VRPTW).
  std::int32_t travel_time(int from, int to) const {
    if (!euclidean()) return travel_ticks(ticks, edge_cost(from, to));
    const double dx = static_cast<double>(x[from]) - x[to], dy = static_cast<double>(y[from]) - y[to];
    return travel_ticks(ticks, std::sqrt(dx * dx + dy * dy));
  }
};

/// Cost of a closed tour over search nodes, in the search's units, summed in double.
double tour_cost(const SearchInstance& instance, std::span<const int> order);

}  // namespace neuopt
