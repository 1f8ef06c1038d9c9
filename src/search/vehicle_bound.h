// Solutions with no more routes than there are vehicles. The search itself cannot add a route: its tours have as many
// dummy depots as vehicles. So all that is needed is a start that has few enough of them.
#pragma once

#include <optional>

#include "problem/instance.h"

namespace neuopt::search {

/// A feasible solution with at most `instance.vehicles` routes, near the one given, whose routes must be within the
/// capacity; nothing where none is found. Routes are dissolved into the others one by one, the emptiest first; where
/// that ends too early, customers are packed by their demands alone.
std::optional<Solution> fit_vehicles(const Instance& instance, const Solution& solution);

}  // namespace neuopt::search
