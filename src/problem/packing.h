// When customers fit into one route, as the search sees it: loads in units of the capacity, in single precision.
#pragma once

#include <span>
#include <vector>

namespace neuopt {

/// A route is over capacity when its load exceeds this: room for the rounding of single-precision sums.
inline constexpr float kLoadLimit = 1.00001f;

/// The route of each customer when they are packed in order, a new route whenever the next one does not fit.
inline std::vector<int> pack_in_order(std::span<const float> demand) {
  std::vector<int> route_of;
  route_of.reserve(demand.size());
  int route = 0;
  float load = 0;
  for (const float amount : demand) {
    if (load + amount > kLoadLimit) {
      ++route;
      load = 0;
    }
    load += amount;
    route_of.push_back(route);
  }
  return route_of;
}

}  // namespace neuopt
