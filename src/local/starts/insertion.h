// Time-oriented insertion (after Solomon, 1987): routes are built one after the other around the customer that is
// farthest from the depot, from customers that make little detour and little delay.
#pragma once

#include <optional>

#include "core/until.h"
#include "local/neighbours.h"

namespace neuopt::local {

/// A feasible VRPTW solution, routes as they are driven; there may be more of them than the instance has depots (see
/// savings.h). Nothing when there was not enough time.
std::optional<Solution> time_insertion(const SearchInstance& instance, const Neighbours& neighbours,
                                       const Until& until = {});

}  // namespace neuopt::local
