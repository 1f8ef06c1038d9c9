// The state of a search, as far as what choices lead to (env/prospects.h) depends on it.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/lanes.h"
#include "env/exchange_loads.h"
#include "kopt/fixed_edges.h"

namespace neuopt::env {

/// Lengths of edges between positions of a tour: of what the network sees, or costs where these are in a matrix.
struct TourLengths {
  const float* features = nullptr;      // (N, width), x and y first
  int width = 0;                        // of a row
  const std::int32_t* rows = nullptr;   // row of each position where rows are in node order; null: in tour order
  const float* matrix = nullptr;        // (places, places) edge costs; null: straight lines
  const int* place = nullptr;           // (N) row of each node in the matrix
  int places = 0;                       // rows of the matrix
  const std::int32_t* order = nullptr;  // (N) node at each position, where an instance was read

  NEUOPT_HD float operator()(int p, int q) const {
    if (matrix != nullptr) return matrix[static_cast<long>(place[order[p]]) * places + place[order[q]]];
    const float *from = row(p), *to = row(q);
    const float x = from[0] - to[0], y = from[1] - to[1];
    return sqrtf(x * x + y * y);
  }

  NEUOPT_HD const float* row(int position) const {
    return features + static_cast<long>(rows == nullptr ? position : rows[position]) * width;
  }
};

/// Stands for a change that is not to be had.
inline constexpr float kNoProspect = 10;

/// The current cost above the best one, visited or polished, which may be infinite; within bounds. Negative where the
/// current solution is infeasible and cheaper.
NEUOPT_HD float above_best(double cost, double best_cost) {
  const double above = cost - best_cost;
  if (above < -kNoProspect) return -kNoProspect;
  return above < kNoProspect ? static_cast<float>(above) : kNoProspect;
}

/// The state of a search, as far as prospects depend on it.
struct ProspectState {
  int nodes = 0;      // N
  int foresight = 2;  // edges of the exchanges that are looked at behind an anchor and a first choice
  TourLengths length;
  bool compact = false;  // the rows are those of compact(), which end in the length of the edge to the next position
  LoadRows loads;        // of problems with demands; without features there are none
  float above = 0;       // above_best()
  kopt::FixedEdges fixed;

  /// Takes the costs of the instance's matrix and its fixed edges, where it has them.
  NEUOPT_HD void read_instance(const InstanceView& instance, const std::int32_t* tour_order) {
    length.matrix = instance.matrix, length.place = instance.place, length.places = instance.places;
    length.order = tour_order;
    fixed = fixed_edges(instance);
  }

  NEUOPT_HD int next(int position) const { return kopt::wrap_above(position + 1, nodes); }
  NEUOPT_HD float edge(int position) const {
    return compact ? length.features[(position + 1) * length.width - 1] : length(position, next(position));
  }

  /// Whether the edge between two positions that follow each other may not be removed.
  NEUOPT_HD bool is_fixed(int position, int next) const {
    return fixed.any() && fixed.has(length.order[position], length.order[next]);
  }
};

/// From what the network sees, (N, width), of a problem with or without demands; `rows` as in TourLengths.
NEUOPT_HD ProspectState prospect_state(int nodes, int foresight, const float* features, int width, bool demands,
                                       float above, const std::int32_t* rows = nullptr) {
  ProspectState state;
  state.nodes = nodes, state.foresight = foresight;
  state.length.features = features, state.length.width = width, state.length.rows = rows;
  state.loads = {demands ? features : nullptr, rows};
  state.above = above;
  return state;
}

/// Of a row as compact() keeps it: places and, where there are loads, what LoadRows reads, and the edge behind them.
/// Odd, so that lanes that read rows side by side do not meet in the memory's banks.
NEUOPT_HD int compact_width(bool loads) { return loads ? 7 : 3; }
NEUOPT_HD int compact_floats(int nodes, bool loads) { return nodes * compact_width(loads); }

/// Copies what prospects read again and again into `memory` of compact_floats(), and the state reads it there. Edges
/// are copied as they are known: read_instance() comes first.
template <class Lanes>
NEUOPT_HD void compact(Lanes lanes, ProspectState& state, float* memory) {
  const bool loads = state.loads.features != nullptr;
  const int width = compact_width(loads);
  for (int p = lanes.first(); p < state.nodes; p += lanes.stride()) {
    const float* from = state.length.row(p);
    float* row = memory + p * width;
    for (int i = 0; i < width - 1; ++i) row[i] = from[i];
    row[width - 1] = state.edge(p);
  }
  lanes.sync();
  state.length.features = memory, state.length.width = width, state.length.rows = nullptr;
  if (loads) state.loads = {memory, nullptr, width};
  state.compact = true;
}

}  // namespace neuopt::env
