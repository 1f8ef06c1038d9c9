// Generated instances in the unit square: the field's uniform ones (demands 1..9, capacity by uniform_capacity()), and
// shaped ones that are clustered, stretched or laid out on a lattice, as instances from outside are.
#pragma once

#include <cstdint>

#include "problem/instance.h"

namespace neuopt {

/// Instance `index` of the set of a seed. `customers` counts the nodes of a TSP, and the customers beside the depot of
/// a CVRP; at least 1. `capacity` 0 means the usual one. Throws InputError for sizes and capacities that make no sense.
Instance generate_uniform(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index,
                          double capacity = 0);

/// Instance `index` of the shaped set of a seed. Every instance draws what it is like: how its nodes lie (part of its
/// name), where the depot of a CVRP lies, how its demands are spread and how many of them a vehicle takes; demands and
/// capacity are whole numbers. The longer side of its box is 1. Throws InputError when `customers` is below 1.
Instance generate_shaped(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index);

}  // namespace neuopt
