// What a policy could have done: in states where exchanging two edges would lead below the best cost of the search,
// that exchange, whether it was made or not.
#pragma once

#include <torch/types.h>

#include "problem/problem_kind.h"
#include "train/batch_environment.h"

namespace neuopt::train {

struct MissedExchanges {
  /// (R, 2, K) int32: either end of the exchange may be its anchor, and the two make the same tour; where only one may,
  /// or there is no exchange and the row's own choices stand here, both are the same.
  torch::Tensor choices;
  torch::Tensor gain;  // (R) float: by how much it improves on the best cost; 0: there is none
};

/// Of each of R states, in which the choices (R, K) were made, the exchange of two edges that gains most. threads: on a
/// CPU; 0: all.
MissedExchanges missed_exchanges(ProblemKind kind, const Observation& states, const torch::Tensor& choices,
                                 int threads);

}  // namespace neuopt::train
