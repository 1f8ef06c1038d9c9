// How much arithmetic a search step is, and how much this processor can do: the two sides of a speed's share of peak.
#pragma once

#include "policy/architecture.h"

namespace neuopt::backends::cpu {

/// Floating-point operations of one step on a tour of `nodes` nodes: the products, mixer and decoder of the network
/// with all K choices. For the TSP without the embeddings and the first layer's queries, keys and values, which stay
/// the same from step to step.
double step_operations(const policy::Architecture& architecture, int nodes);

/// Multiply-adds on registers on so many threads together, in operations per second of processor time; best of a few
/// tries. Other programs on the machine hardly change it.
double measured_peak(int threads, bool half);

}  // namespace neuopt::backends::cpu
