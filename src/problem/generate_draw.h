// Single draws of the uniform generator, for host and device alike: node `node` of instance `index` is a pure function
// of (seed, index, node), so that an instance does not depend on how many are made, in which order, or where.
#pragma once

#include <cstdint>

#include "core/host_device.h"
#include "core/philox.h"
#include "problem/route_clock.h"

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

/// Uniform instances with time windows: ticks of 2^-22, a day of 4.6.
inline constexpr double kDrawnTick = 0x1p-22;
inline constexpr double kDrawnDay = 4.6;
inline constexpr std::int32_t kDrawnDayTicks = static_cast<std::int32_t>(kDrawnDay / kDrawnTick);

/// A number of ticks, uniform from `low` to `high` in units of the map.
NEUOPT_HD std::int32_t draw_ticks(std::uint32_t word, double low, double high) {
  const auto first = static_cast<std::int32_t>(low / kDrawnTick), last = static_cast<std::int32_t>(high / kDrawnTick);
  return first + static_cast<std::int32_t>(uniform_below(word, static_cast<std::uint32_t>(last - first)));
}

/// Window and service of a customer, `travel` ticks away from the depot: it can be served alone, whenever in its window
/// service begins.
NEUOPT_HD StopTimes draw_times(const Random& random, std::uint64_t index, std::uint32_t node, std::int32_t travel) {
  const Philox4 block =
      random.words(Draw::instance, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), node, 1);
  const std::int32_t service = draw_ticks(block.word[0], 0.15, 0.18), length = draw_ticks(block.word[1], 0.18, 0.2);
  const auto room = static_cast<std::uint32_t>(kDrawnDayTicks - service - length - 2 * travel);
  const std::int32_t opens = travel + static_cast<std::int32_t>(uniform_below(block.word[2], room + 1));
  return {opens, opens + length, service};
}

}  // namespace neuopt
