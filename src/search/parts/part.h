// A part of a large instance that is searched on its own: some of its nodes, with the paths of the present solution
// that lead outside contracted to fixed edges, in a unit square of its own.
#pragma once

#include <span>
#include <vector>

#include "local/neighbours.h"
#include "problem/search_instance.h"

namespace neuopt::search {

/// A path of the whole solution outside a part, between two of its nodes or between one and the depot.
struct Chain {
  int from, to;            // nodes of the part; `from` is -1 where the path begins at the depot
  std::vector<int> inner;  // nodes of the whole, from `from` to `to`
};

struct Part {
  SearchInstance view;
  local::Neighbours neighbours;
  std::vector<int> start;      // the present solution as a tour of the view
  std::vector<int> customers;  // node of the whole for each customer of the view, in the order of the start
  std::vector<int> routes;     // of the whole that the part takes the place of (problems with depots)
  std::vector<Chain> chains;   // of these routes (problems with depots)
};

/// What a part is made of, in the order of the present solution.
struct PartPlan {
  int nodes = 0;                           // search nodes, reached by further dummy depots
  std::vector<int> customers;              // nodes of the whole
  std::vector<std::pair<int, int>> fixed;  // pairs of places in `customers`; -1: the depot
  // Problems with depots.
  std::vector<float> extra_demand;  // of each customer: what its chains carry
  std::vector<int> route_begins;    // where each route begins in `customers`
  std::vector<int> routes;          // of the whole that the part takes the place of
  std::vector<Chain> chains;        // of these routes
};

/// The part of a plan.
Part make_part(const SearchInstance& whole, PartPlan plan);

}  // namespace neuopt::search
