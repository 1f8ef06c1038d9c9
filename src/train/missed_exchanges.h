// What a policy could have done: in states of a rollout where exchanging two edges would have led below the best cost,
// that exchange, to learn from beside what was drawn. See docs/training-internals.md.
#pragma once

#include <torch/types.h>

#include "problem/problem_kind.h"
#include "train/rollout.h"

namespace neuopt::train {

struct MissedExchanges {
  /// (R, 2, K) int32: either end of the exchange may be its anchor, and the two make the same tour; where only one may,
  /// or there is no exchange and the row's own choices stand here, both are the same.
  torch::Tensor choices;
  torch::Tensor gain;  // (R) float: by how much it improves on the best cost; 0: there is none
};

/// Whether they can be found: where windows are, a part of a route that is reversed may be late.
bool finds_missed_exchanges(ProblemKind kind);

/// Of each row, the exchange of two edges that gains most.
MissedExchanges missed_exchanges(ProblemKind kind, const Rows& rows);

}  // namespace neuopt::train
