// Generated instances in the unit square: the field's uniform ones (demands 1..9, capacity by uniform_capacity(); time
// windows of about 0.19 in a day of 4.6), and shaped ones that are clustered, stretched or laid out on a lattice, as
// instances from outside are. Every customer with a time window can be served by a vehicle of its own.
#pragma once

#include <cstdint>

#include "problem/instance.h"

namespace neuopt {

/// What `neuopt generate` and the Python package make at most; the memory may say no before that.
inline constexpr int kMostCustomers = 1'000'000;  // of an instance
inline constexpr int kMostInstances = 100'000'000;

/// Throws ResourceError, with both figures, when a set of generated instances would not fit into the memory that is
/// free, or into the limit in bytes where that is above 0. `copies`: how many times its numbers are held at once.
void require_memory_to_generate(ProblemKind kind, int customers, int count, double copies = 1, double limit = 0);

/// Instance `index` of the set of a seed. `customers` counts the nodes of a TSP, and the customers beside the depot of
/// others; at least 1. A VRPTW has the places, demands and capacity of the CVRP. `capacity` 0 means the usual one.
/// Throws InputError for sizes and capacities that make no sense.
Instance generate_uniform(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index,
                          double capacity = 0);

/// Instance `index` of the shaped set of a seed. Every instance draws what it is like: how its nodes lie (part of its
/// name), where the depot of a CVRP lies, how its demands are spread and how many of them a vehicle takes, how long the
/// day is, how wide the windows are and how many customers have one (problem/shaped_times.h); demands and capacity are
/// whole numbers. The longer side of its box is 1. Throws InputError when `customers` is below 1.
Instance generate_shaped(ProblemKind kind, int customers, std::uint64_t seed, std::uint64_t index);

}  // namespace neuopt
