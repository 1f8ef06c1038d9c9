// Savings (Clarke and Wright, 1964): every customer has a route of its own; routes are joined end to end where that
// saves most.
#pragma once

#include <optional>

#include "core/until.h"
#include "local/neighbours.h"

namespace neuopt::local {

/// A feasible CVRP solution. Routes are joined where that costs nothing, too, so that they are few; there may still be
/// more of them than the instance has depots: start_from() refuses them then, and make_search_instance() gives more
/// when it is asked. Nothing when there was not enough time.
std::optional<Solution> savings(const SearchInstance& instance, const Neighbours& neighbours, const Until& until = {});

}  // namespace neuopt::local
