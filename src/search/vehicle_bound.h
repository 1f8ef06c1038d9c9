// Solutions with no more routes than there are vehicles. The search itself cannot add a route: its tours have as many
// dummy depots as vehicles. So all that is needed is a start that has few enough of them.
#pragma once

#include <optional>

#include "core/until.h"
#include "problem/search_instance.h"

namespace neuopt::search {

/// A feasible solution with at most `instance.vehicles` routes, near the one given, whose routes must be feasible;
/// nothing where none is found before the time is over. Routes are dissolved into the others one by one, the emptiest
/// first. Where that ends too early, customers are packed by their demands alone; with time windows local search mends
/// routes that are too few. `view` is any view of the instance.
std::optional<Solution> fit_vehicles(const Instance& instance, const SearchInstance& view, const Solution& solution,
                                     const Until& until = {});

}  // namespace neuopt::search
