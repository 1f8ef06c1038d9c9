// How much arithmetic and memory traffic the parts of a step are: what measured times are held against.
#pragma once

#include "policy/architecture.h"

namespace neuopt::backends::cuda {

/// Multiplications and additions (exponentials and tangents not counted), and bytes between kernels and device memory
/// (weights and tables not counted: they stay in the caches).
struct Work {
  double flop = 0, bytes = 0;

  Work operator+(const Work& other) const { return {flop + other.flop, bytes + other.bytes}; }
  Work operator*(double factor) const { return {flop * factor, bytes * factor}; }
};

/// One step of one copy, all K choices together.
struct StepWork {
  Work encoder, streams, scores, choice, last_choice;
};
StepWork step_work(const policy::Architecture& architecture, int nodes, bool half);

}  // namespace neuopt::backends::cuda
