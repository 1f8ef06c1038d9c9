// The field's uniform instances: nodes uniform in the unit square, demands 1..9, capacity by uniform_capacity().
#pragma once

#include <cstdint>

#include "problem/instance.h"

namespace neuopt {

/// Instance `index` of the set of a seed. `customers` counts the nodes of a TSP, and the customers beside the depot of
/// a CVRP; at least 1. `capacity` 0 means the usual one. Throws InputError for sizes and capacities that make no sense.
Instance generate_uniform(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index,
                          double capacity = 0);

}  // namespace neuopt
