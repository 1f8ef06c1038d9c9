#include "backends/action_builder.h"

#include "core/error.h"

namespace neuopt::backends {

ActionBuilder::ActionBuilder(const policy::Architecture& architecture, const kopt::TourView& tour, int previous_anchor,
                             std::span<const float> features, const Standing& standing)
    : tour_(tour),
      previous_anchor_(previous_anchor),
      fixed_(standing.instance != nullptr ? env::fixed_edges(*standing.instance) : kopt::FixedEdges{}),
      max_moves_(architecture.max_moves),
      fixed_k_(architecture.fixed_k),
      cuts_(static_cast<std::size_t>(architecture.max_moves)) {
  chosen_.reserve(static_cast<std::size_t>(architecture.max_moves));
  if (!architecture.masking && !architecture.prospects) return;
  if (features.empty()) throw InputError("a model with masking or prospects needs the features of the nodes");
  if (architecture.masking) mask_.anchor_loads.loads = {features.data(), tour.order};
  if (!architecture.prospects) return;
  prospects_ = env::prospect_state(tour.nodes, architecture.edges_foreseen(standing.foresight), features.data(),
                                   architecture.features(), traits(architecture.problem).demands, standing.above_best,
                                   tour.order);
  if (standing.instance != nullptr) prospects_.read_instance(*standing.instance, tour.order);
  prospect_rows_.resize(
      static_cast<std::size_t>(env::compact_floats(tour.nodes, traits(architecture.problem).demands)));
  env::compact(SerialLanes{}, prospects_, prospect_rows_.data());
}

kopt::LegalRanks ActionBuilder::legal() const {
  kopt::LegalRanks ranks = kopt::legal_ranks(action_);
  const bool others = ranks.first < ranks.last;            // besides the E-move, which has the lowest rank
  if (fixed_k_ && others && !fixed_.any()) ++ranks.first;  // with fixed edges there may be no others
  return ranks;
}

bool ActionBuilder::allows(int node) const {
  const bool free = !fixed_.has_after(tour_, tour_.position[node]);
  if (chosen_.empty()) return node != previous_anchor_ && free;
  const int rank = kopt::rank_of(tour_, action_.anchor_position, node);
  return legal().allows(rank, tour_.nodes) && (free || kopt::is_closing(action_, rank)) &&
         mask_.allows(tour_.position[node]);
}

void ActionBuilder::choose(int node) {
  if (chosen_.empty()) {
    action_ = kopt::start_action(tour_, node, cuts_.data());
    mask_ = env::make_two_opt_mask(mask_.anchor_loads.loads, tour_.nodes, action_.anchor_position);
  } else {
    kopt::choose(action_, kopt::rank_of(tour_, action_.anchor_position, node));
  }
  chosen_.push_back(node);
}

}  // namespace neuopt::backends
