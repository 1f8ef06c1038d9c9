#include "backends/action_builder.h"

namespace neuopt::backends {

ActionBuilder::ActionBuilder(const policy::Architecture& architecture, const kopt::TourView& tour, int previous_anchor)
    : tour_(tour),
      previous_anchor_(previous_anchor),
      max_moves_(architecture.max_moves),
      fixed_k_(architecture.fixed_k),
      cuts_(static_cast<std::size_t>(architecture.max_moves)) {
  chosen_.reserve(static_cast<std::size_t>(architecture.max_moves));
}

kopt::LegalRanks ActionBuilder::legal() const {
  kopt::LegalRanks ranks = kopt::legal_ranks(action_);
  const bool others = ranks.first < ranks.last;  // besides the E-move, which has the lowest rank
  if (fixed_k_ && others) ++ranks.first;
  return ranks;
}

bool ActionBuilder::allows(int node) const {
  if (chosen_.empty()) return node != previous_anchor_;
  return legal().allows(kopt::rank_of(tour_, action_.anchor_position, node), tour_.nodes);
}

void ActionBuilder::choose(int node) {
  if (chosen_.empty())
    action_ = kopt::start_action(tour_, node, cuts_.data());
  else
    kopt::choose(action_, kopt::rank_of(tour_, action_.anchor_position, node));
  chosen_.push_back(node);
}

}  // namespace neuopt::backends
