// What the policy network sees of a search: node features with augmented coordinates, and the exploration statistics
// (ES) of GIRE. The features are x, y and what the problem adds (write_features in env/problems).
#pragma once

#include "env/search.h"

namespace neuopt::env {

/// Whether row i of the features belongs to node i or to the node at position i.
enum class RowOrder { node, position };

/// Writes the features of all nodes, (N, features).
template <class Problem, RowOrder row_order, class Lanes>
NEUOPT_HD void write_features(Lanes lanes, const SearchRules& rules, const Search<Problem>& search,
                              const SearchState& state, float* out) {
  const bool augmented = state.augmentations > 0;  // before the first one the coordinates are seen as they are
  for (int row = lanes.first(); row < search.tour.nodes; row += lanes.stride()) {
    const int node = row_order == RowOrder::node ? row : search.tour.order[row];
    float* features = out + row * kFeatures<Problem>;
    features[0] = search.instance.x[node];
    features[1] = search.instance.y[node];
    if (augmented) apply(state.augmentation, features[0], features[1], features[0], features[1]);
    Problem::write_features(search.instance, search.routes, rules.gire, node, features + 2);
  }
}

/// Writes the (9) ES features.
NEUOPT_HD void write_exploration(const SearchRules& rules, const SearchState& state, float* out) {
  write_exploration_features(state.status.history, is_feasible(state.status), rules.gire, out);
}

}  // namespace neuopt::env
