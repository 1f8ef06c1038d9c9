// The cost of an edge as local search sees it: in single precision, where a square root is short work for a GPU, and
// correctly rounded, so that host and device agree to the bit. Sums of a few of them in double are exact. What a tour
// finally costs is measured by env::tour_cost.
#pragma once

#include <cmath>
#include <cstdint>

#include "env/instance_view.h"

namespace neuopt::local {

NEUOPT_HD float search_cost(const env::InstanceView& instance, int from, int to) {
  if (instance.matrix != nullptr)
    return instance.matrix[static_cast<long>(instance.place[from]) * instance.places + instance.place[to]];
#if !defined(__CUDA_ARCH__)
  if (instance.file != nullptr) return static_cast<float>(env::edge_cost(instance, from, to));
#endif
  const float dx = instance.x[from] - instance.x[to], dy = instance.y[from] - instance.y[to];
  return sqrtf(dx * dx + dy * dy);
}

/// env::tour_cost, to the bit, of an order that all lanes see; they compute the edges side by side. `scratch` holds N.
template <class Lanes>
NEUOPT_HD double measured_cost(Lanes lanes, const env::InstanceView& instance, const std::int32_t* order,
                               double* scratch) {
  NEUOPT_ROLLED
  for (int p = lanes.first(); p < instance.nodes; p += lanes.stride())
    scratch[p] = env::edge_cost(instance, order[p == 0 ? instance.nodes - 1 : p - 1], order[p]);
  lanes.sync();
  double cost = 0;
  for (int p = 0; p < instance.nodes; ++p) cost += scratch[p];
  lanes.sync();
  return cost;
}

}  // namespace neuopt::local
