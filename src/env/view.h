// The search's view of an instance as the device-ready ProblemView.
#pragma once

#include <numeric>

#include "env/gire.h"
#include "env/problem_view.h"
#include "problem/normalize.h"
#include "problem/packing.h"

namespace neuopt::env {

/// Points into the instance, which must outlive the view.
inline ProblemView view_of(const SearchInstance& instance, const GireParameters& gire) {
  const bool capacitated = instance.kind == ProblemKind::cvrp;
  const bool by_matrix = !instance.matrix.empty();
  ProblemView view{};
  view.nodes = instance.size();
  view.depots = instance.depots;
  view.x = instance.x.data();
  view.y = instance.y.data();
  view.demand = capacitated ? instance.demand.data() : nullptr;
  view.matrix = by_matrix ? instance.matrix.data() : nullptr;
  view.place = by_matrix ? instance.node_of.data() : nullptr;
  view.places = instance.nodes;
  view.epsilon = static_cast<float>(gire.zeta * std::accumulate(instance.demand.begin(), instance.demand.end(), 0.0));
  view.tolerance = kLoadLimit - 1.0f;
  return view;
}

}  // namespace neuopt::env
