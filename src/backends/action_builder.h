// The decoding of one action as every backend runs it: which nodes may be chosen, what a choice means, and what the two
// streams of the decoder read next. The scores of the nodes come from the backend.
#pragma once

#include <span>
#include <vector>

#include "env/masking.h"
#include "env/prospects.h"
#include "kopt/action.h"
#include "kopt/fixed_edges.h"
#include "policy/architecture.h"

namespace neuopt::backends {

/// Where a search stands, as far as choices depend on it.
struct Standing {
  float above_best = 0;                         // its cost above its best one (env::above_best)
  const env::InstanceView* instance = nullptr;  // null: costs are straight lines and no edge is fixed
  int foresight = policy::kMostForesight;       // edges that prospects look at, at most
};

class ActionBuilder {
 public:
  /// `tour` stays as it is while the action is built. `previous_anchor` may not begin the action (-1: any node may).
  /// The edge from a chosen node to its successor is removed, so it must not be fixed; the E-move removes none.
  /// `features` (N, features) in node order are needed by an architecture with masking or prospects, and stay as they
  /// are, too.
  ActionBuilder(const policy::Architecture& architecture, const kopt::TourView& tour, int previous_anchor,
                std::span<const float> features, const Standing& standing = {});

  /// False once an E-move or K choices have been made.
  bool open() const { return !action_.closed && step() < max_moves_; }
  /// Choices made so far: 0 before the S-move.
  int step() const { return static_cast<int>(chosen_.size()); }

  /// Whether a node may be chosen now. There always is one when the tour has 3 free edges or more.
  bool allows(int node) const;
  void choose(int node);

  int position_of(int node) const { return tour_.position[node]; }
  /// What the choices of this step lead to; for an architecture with prospects.
  env::StepProspects prospects() const { return env::prospects_at(SerialLanes{}, prospects_, step(), action_); }

  /// Nodes whose embeddings the streams mu and lambda read at the next step; only after the S-move.
  int move_input() const { return chosen_.back(); }
  int edge_input() const { return kopt::node_at_rank(tour_, action_.anchor_position, kopt::open_end_rank(action_)); }

  /// The action so far; after the S-move. The path is closed when it is applied.
  const kopt::Action& action() const { return action_; }
  std::span<const int> chosen() const { return chosen_; }

  ActionBuilder(const ActionBuilder&) = delete;
  ActionBuilder& operator=(const ActionBuilder&) = delete;

 private:
  kopt::LegalRanks legal() const;

  kopt::TourView tour_;
  int previous_anchor_;
  kopt::FixedEdges fixed_;
  int max_moves_;
  bool fixed_k_;
  env::TwoOptMask mask_;  // of the second choice; allows everything without masking
  env::ProspectState prospects_;
  std::vector<float> prospect_rows_;  // that it reads
  std::vector<int> chosen_;
  std::vector<int> cuts_;  // storage of the action
  kopt::Action action_{};
};

}  // namespace neuopt::backends
