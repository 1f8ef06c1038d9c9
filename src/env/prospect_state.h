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

 private:
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
  LoadRows loads;   // of problems with demands; without features there are none
  float above = 0;  // above_best()
  kopt::FixedEdges fixed;

  /// Takes the costs of the instance's matrix and its fixed edges, where it has them.
  NEUOPT_HD void read_instance(const InstanceView& instance, const std::int32_t* tour_order) {
    length.matrix = instance.matrix, length.place = instance.place, length.places = instance.places;
    length.order = tour_order;
    fixed = fixed_edges(instance);
  }

  NEUOPT_HD int next(int position) const { return kopt::wrap_above(position + 1, nodes); }

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

#if defined(__CUDACC__)
/// Shared memory in which the warps of a block keep the places of their nodes; 0: there are too many.
inline std::size_t shared_places_bytes(int warps, int nodes) {
  constexpr std::size_t kMost = 48 << 10;
  const std::size_t bytes = sizeof(float2) * static_cast<std::size_t>(warps) * static_cast<std::size_t>(nodes);
  return bytes <= kMost ? bytes : 0;
}

/// Puts the places of a warp's nodes where lanes read them side by side: every pair of them is looked at.
__device__ inline void share_places(ProspectState& state) {
  extern __shared__ float2 shared_places[];  // (warps, N)
  float2* places = shared_places + threadIdx.x / 32 * state.nodes;
  const TourLengths& length = state.length;
  for (int p = WarpLanes{}.first(); p < state.nodes; p += WarpLanes{}.stride()) {
    const float* row = length.features + static_cast<long>(p) * length.width;
    places[p] = make_float2(row[0], row[1]);
  }
  WarpLanes{}.sync();
  state.length.features = reinterpret_cast<const float*>(places);
  state.length.width = 2;
}
#endif

}  // namespace neuopt::env
