// Local search for the VRPTW: none yet, a tour stays as it is.
#pragma once

#include "local/local_search.h"
#include "local/search_cost.h"

namespace neuopt::local {

template <>
struct LocalSearch<env::Vrptw> {
  /// What measure() needs.
  NEUOPT_HD static std::size_t bytes(int nodes) {
    return (static_cast<std::size_t>(nodes) * (sizeof(env::Vrptw::Route) + sizeof(std::int32_t)) + 7) / 8 * 8;
  }

  template <class Lanes, class GoOn = Unhurried>
  NEUOPT_HD static Polished polish(Lanes lanes, const LocalTask& task, std::int32_t* order, void* workspace,
                                   GoOn&& = {}) {
    return measure(lanes, task.instance, order, workspace);
  }

  template <class Lanes>
  NEUOPT_HD static Polished measure(Lanes lanes, const env::InstanceView& instance, std::int32_t* order,
                                    void* workspace) {
    auto* values = static_cast<env::Vrptw::Route*>(workspace);
    auto* position = reinterpret_cast<std::int32_t*>(values + instance.nodes);
    const kopt::TourView tour{instance.nodes, order, position};
    NEUOPT_ROLLED
    for (int p = lanes.first(); p < instance.nodes; p += lanes.stride()) position[order[p]] = p;
    lanes.sync();
    const float violation = env::Vrptw::walk(lanes, instance, tour, values);
    lanes.sync();
    return {measured_cost(lanes, instance, order, static_cast<double*>(workspace)), violation, 0};
  }
};

}  // namespace neuopt::local
