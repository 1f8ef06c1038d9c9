// Single draws of the uniform generator, for host and device alike: node `node` of instance `index` is a pure function
// of (seed, index, node), so that an instance does not depend on how many are made, in which order, or where.
#pragma once

#include <cstdint>

#include "core/host_device.h"
#include "core/philox.h"

namespace neuopt {

inline constexpr int kMaxUniformDemand = 9;

struct NodeDraw {
  float x, y;  // uniform in [0, 1)
  int demand;  // uniform in 1..9; meant for customers
};

/// CVRP: node 0 is the depot, customers are 1..n (their demand is ignored at the depot). TSP: nodes are 0..n-1.
NEUOPT_HD NodeDraw draw_node(const Random& random, std::uint64_t index, std::uint32_t node) {
  const Philox4 block =
      random.words(Draw::instance, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), node, 0);
  return NodeDraw{uniform_float(block.word[0]), uniform_float(block.word[1]),
                  1 + static_cast<int>(uniform_below(block.word[2], kMaxUniformDemand))};
}

}  // namespace neuopt
