// A routing problem as its file states it, and a solution of it. Plain data: nothing here searches.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/problem_kind.h"

namespace neuopt {

/// The problem's name in files and reports.
inline const char* problem_name(ProblemKind kind) { return traits(kind).name; }

/// How the cost of an edge follows from the file. `unit` is the plain Euclidean distance of the unit-square sets;
/// the others carry TSPLIB's rounding conventions; `dimacs_2d` cuts after one decimal, as the libraries of files with
/// time windows do.
enum class Metric {
  unit,
  euc_2d,
  floor_2d,
  dimacs_2d,
  ceil_2d,
  man_2d,
  max_2d,
  euc_3d,
  man_3d,
  max_3d,
  geo,
  att,
  explicit_matrix
};

/// Whether nodes have a third coordinate.
constexpr bool three_dimensional(Metric metric) {
  return metric == Metric::euc_3d || metric == Metric::man_3d || metric == Metric::max_3d;
}

struct Point {
  double x = 0;
  double y = 0;
};

/// When service at a node may begin.
struct TimeWindow {
  double opens = 0;
  double closes = 0;
};

struct Instance {
  ProblemKind kind = ProblemKind::tsp;
  std::string name;
  std::string comment;
  Metric metric = Metric::unit;
  std::vector<Point> coordinates;        // one for each node, or the display data of an explicit matrix, or empty
  std::vector<double> z;                 // third coordinate of each node, for the 3D metrics only
  std::vector<double> matrix;            // size * size, row by row, for Metric::explicit_matrix only
  std::vector<double> demand;            // one for each node, 0 at the depot (problems with demands)
  double capacity = 0;                   // of every vehicle (problems with demands)
  int depot = 0;                         // node index (problems with depots)
  std::vector<TimeWindow> windows;       // one for each node; the depot's is the day (problems with windows)
  std::vector<double> service;           // time at each node, 0 at the depot (problems with windows)
  int vehicles = 0;                      // most routes of a solution; 0: any number (problems with depots)
  int size = 0;                          // nodes, the depot among them
  std::optional<double> reference_cost;  // known optimal or near-optimal cost

  std::vector<std::pair<int, int>> fixed_edges = {};  // pairs of nodes that are neighbours in every tour (TSP only)

  int customers() const { return traits(kind).depots ? size - 1 : size; }

  /// Whether vehicles begin and end at this node; never in a problem without a depot.
  bool is_depot(int node) const { return traits(kind).depots && node == depot; }

  /// The number of a customer in files of solutions: from 1, the depot passed over.
  int customer_number(int node) const { return node < depot ? node + 1 : node; }

  /// Edges of a tour that are not fixed.
  int free_edges() const { return size - static_cast<int>(fixed_edges.size()); }

  /// Cost of the edge between two nodes, by the file's convention. (distance.cpp)
  double distance(int from, int to) const;

  /// True when every distance is an integer by convention.
  bool integral() const {
    return metric != Metric::unit && metric != Metric::dimacs_2d && metric != Metric::explicit_matrix;
  }
};

/// A point of space for a node: nodes whose points are near are near by the file's convention, too. On the sphere for
/// Metric::geo. Nodes have coordinates. (distance.cpp)
std::array<double, 3> place_in_space(const Instance& instance, int node);

/// Routes over the instance's node indices. Without depots: one route with every node. With depots: the customers of
/// each vehicle in order, without the depot; empty routes are allowed and cost nothing.
struct Solution {
  std::vector<std::vector<int>> routes;

  /// Routes that visit anybody.
  int routes_in_use() const {
    int count = 0;
    for (const std::vector<int>& route : routes) count += route.empty() ? 0 : 1;
    return count;
  }
};

/// Total length, each route closed (with depots: through the depot). Indices must be valid.
double solution_cost(const Instance& instance, const Solution& solution);

}  // namespace neuopt
