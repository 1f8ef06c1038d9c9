// When customers fit into one route, as the search sees it: loads in units of the capacity, in single precision.
#pragma once

#include <span>
#include <vector>

#include "core/host_device.h"

namespace neuopt {

/// A route is over capacity when its load exceeds this: room for the rounding of single-precision sums.
inline constexpr float kLoadLimit = 1.00001f;

NEUOPT_HD bool exceeds_capacity(float load) { return load > kLoadLimit; }

/// Packs customers in the order they come, a new route whenever the next one does not fit.
struct OrderPacking {
  int route = 0;   // that took the last customer
  float load = 0;  // of that route

  NEUOPT_HD void add(float demand) {
    if (exceeds_capacity(load + demand)) {
      ++route;
      load = 0;
    }
    load += demand;
  }
};

/// The route of each customer when they are packed in order.
inline std::vector<int> pack_in_order(std::span<const float> demand) {
  std::vector<int> route_of;
  route_of.reserve(demand.size());
  OrderPacking packing;
  for (const float amount : demand) {
    packing.add(amount);
    route_of.push_back(packing.route);
  }
  return route_of;
}

}  // namespace neuopt
