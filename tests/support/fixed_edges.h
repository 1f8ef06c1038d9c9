// Random fixed edges that some tour has.
#pragma once

#include "problem/instance.h"
#include "support/random_tour.h"

namespace neuopt::test {

/// Fixes edges of a random tour, each with a chance of `percent`, but for the one that would close it.
inline void fix_random_edges(Instance& instance, int percent, Draws& draws) {
  const std::vector<int> order = random_tour(instance.size, draws).order;
  for (std::size_t p = 0; p + 1 < order.size(); ++p)
    if (draws.below(100) < percent) instance.fixed_edges.emplace_back(order[p], order[p + 1]);
}

}  // namespace neuopt::test
