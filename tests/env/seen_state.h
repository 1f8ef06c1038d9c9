// What prospects read of a world, in the forms in which backends, the trainer and kernels have it.
#pragma once

#include <cstdint>
#include <vector>

#include "env/prospects.h"
#include "world.h"

namespace neuopt::test {

/// Refers to the world, which must outlive it and keep its tour.
struct SeenState {
  std::vector<float> features;         // rows by node or by position
  std::vector<bool> fixed;             // by position: the edge to the next one
  std::vector<std::int32_t> partners;  // (N, 2), as instances have fixed edges
  std::vector<float> compact_rows;     // that it reads once it is compact
  env::ProspectState state;

  SeenState(World& world, int foresight, float above, bool rows_by_node = false)
      : features(rows_by_node ? world.features() : world.features_in_tour_order()),
        fixed(world.tour.order.size(), false) {
    const int width = static_cast<int>(features.size()) / world.nodes();
    state = env::prospect_state(world.nodes(), foresight, features.data(), width, world.depots > 0, above,
                                rows_by_node ? world.tour.order.data() : nullptr);
    if (!world.matrix.empty()) state.read_instance(world.instance(), world.tour.order.data());
  }

  /// Fixes a quarter of the tour's edges, in a world without depots.
  void fix_edges(const World& world, Draws& draws) {
    const std::vector<int>& order = world.tour.order;
    partners.assign(2 * order.size(), -1);
    for (std::size_t p = 0; p + 1 < order.size(); ++p) {
      if (draws.below(4) != 0) continue;
      fixed[p] = true;
      partners[static_cast<std::size_t>(2 * order[p] + 1)] = order[p + 1];
      partners[static_cast<std::size_t>(2 * order[p + 1])] = order[p];
    }
    env::InstanceView instance = world.instance();
    instance.fixed = partners.data();
    state.read_instance(instance, order.data());
  }

  void compact() {
    compact_rows.resize(static_cast<std::size_t>(env::compact_floats(state.nodes, state.loads.features != nullptr)));
    env::compact(SerialLanes{}, state, compact_rows.data());
  }
};

/// In any form, and with fixed edges where a world can have them.
inline SeenState draw_seen(World& world, int foresight, float above, Draws& draws) {
  SeenState seen(world, foresight, above, draws.below(2) == 0);
  if (world.depots == 0 && draws.below(3) > 0) seen.fix_edges(world, draws);
  if (draws.below(2) == 0) seen.compact();
  return seen;
}

}  // namespace neuopt::test
