// Replays a trace with a backend and compares every recorded quantity.
#pragma once

#include "backends/trace/discrepancies.h"
#include "backends/trace/trace.h"

namespace neuopt::backends::trace {

/// Tolerated absolute errors. The traces are recordings in single precision; `embeddings` is looser for backends that
/// compute in single precision as well.
struct TraceTolerances {
  double embeddings = 1e-5;
  double logits = 1e-4;
};

/// `precision` as given to make_backend. Half precision keeps about three digits, and errors grow from layer to layer.
TraceTolerances tolerances_for(const std::string& backend, const std::string& precision = "");

/// The network (positional encoding, embeddings, logits, legal choices, log-probability, entropy) by the backend and
/// the environment (features, positions, next solutions, rewards, costs, ES features) by the shared code. With the
/// reference backend also the attention scores of the first layer.
Discrepancies check_trace(const Trace& trace, policy::Backend& backend, const TraceTolerances& tolerances);

}  // namespace neuopt::backends::trace
