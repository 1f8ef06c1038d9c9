// Routes that go into a part with all their customers or with some, and come back out of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/parts/part.h"

namespace neuopt::search {

using Route = std::vector<int>;  // customers of the whole

/// The customers of these routes for which inside[customer] is not 0. What lies between them, or between one and the
/// depot, is a chain; a customer between two chains is left out. Routes without a customer inside come out as they are.
PartPlan plan_routes(const SearchInstance& whole, std::span<const Route> all_routes, std::vector<int> which,
                     const std::vector<std::uint8_t>& inside);

/// The routes of the whole that a tour of a part stands for, none of them empty.
std::vector<Route> routes_of(const Part& part, std::span<const int> tour);

}  // namespace neuopt::search
