// Polishing what a search visits: local search from a copy of its current tour, whose result is kept when it is
// feasible and better than the best. The search itself goes on as if nothing had happened.
#pragma once

#include <cstddef>
#include <cstdint>

#include "local/route_search.h"
#include "local/tsp_search.h"

namespace neuopt::local {

/// Searches with equal numbers of nodes, in the memory of host or device.
struct PolishBatch {
  int copies, nodes;                   // B, N
  const env::InstanceView* instances;  // (B)
  const NeighbourView* neighbours;     // (B)
  LocalRules rules;
  const std::int32_t* order;  // (B, N) current tours
  std::int32_t* best_order;   // (B, N)
  double* best_cost;          // (B) infinite while there is none
};

/// How a search's tours are polished, on every backend.
NEUOPT_HD constexpr LocalRules polish_rules() { return {.to_the_end = false}; }

/// Bytes that the polish of one copy works in, aligned to 8: a tour, and the workspace of the local search.
template <class Problem>
NEUOPT_HD std::size_t polish_bytes(int nodes) {
  return LocalSearch<Problem>::bytes(nodes) + (static_cast<std::size_t>(nodes) * sizeof(std::int32_t) + 7) / 8 * 8;
}

/// Returns, in every lane, whether there is a new best. `instance` is that of the row, wherever its arrays are.
template <class Problem, class Lanes>
NEUOPT_HD bool polish_copy(Lanes lanes, const PolishBatch& batch, const env::InstanceView& instance, long row,
                           void* workspace) {
  const int nodes = batch.nodes;
  auto* order =
      reinterpret_cast<std::int32_t*>(static_cast<std::uint8_t*>(workspace) + LocalSearch<Problem>::bytes(nodes));
  NEUOPT_ROLLED
  for (int p = lanes.first(); p < nodes; p += lanes.stride()) order[p] = batch.order[row * nodes + p];
  lanes.sync();
  const LocalTask task{instance, batch.neighbours[row], batch.rules};
  const Polished polished = LocalSearch<Problem>::polish(lanes, task, order, workspace);
  const bool better = !(polished.violation > 0) && polished.cost < batch.best_cost[row] - kLeastGain;
  lanes.sync();
  if (!better) return false;
  NEUOPT_ROLLED
  for (int p = lanes.first(); p < nodes; p += lanes.stride()) batch.best_order[row * nodes + p] = order[p];
  if (lanes.first() == 0) batch.best_cost[row] = polished.cost;
  lanes.sync();
  return true;
}

}  // namespace neuopt::local
