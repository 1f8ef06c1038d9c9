// Tiny instances solved exactly by dynamic programming, without the network: they are too small for k-opt exchanges to
// mean much, and an exact answer costs nothing.
#pragma once

#include "problem/instance.h"

namespace neuopt::search {

/// Nodes (the depot among them) up to which an instance counts as tiny.
inline constexpr int kTinySize = 9;

/// Free edges that the policy's actions need. With fewer there are two tours at most, and the instance is tiny as well.
inline constexpr int kLeastFreeEdges = 3;

inline bool is_tiny(const Instance& instance) {
  return instance.size <= kTinySize || instance.free_edges() < kLeastFreeEdges;
}

/// An optimal solution of a tiny instance: loads, times and costs are the verifier's, not the search's. Throws
/// InputError when there is none (a demand above the capacity); where the vehicles are too few for any, the optimal one
/// with more of them.
Solution solve_exactly(const Instance& instance);

}  // namespace neuopt::search
