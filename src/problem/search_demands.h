// The demands of an instance as the search counts them: parts of the capacity, in single precision.
#pragma once

#include <vector>

#include "problem/instance.h"

namespace neuopt {

/// One for each node of the Instance. A route is over capacity when they add up to more than kLoadLimit
/// (problem/packing.h), which for capacities up to 50,000 hides less than half a unit: demands are divided by the
/// capacity. Above, whole-numbered demands are counted in units of their common divisor, of which a vehicle takes a
/// whole number; the divisor is a little smaller than the capacity, so that the limit lies half a unit above it, and
/// they are rounded so that sums are exact. Where even that could let one unit too many pass (above 8,400,000 units
/// over the customers of a route), they are rounded up: no route is overloaded, and a few millionths of the capacity
/// stay unused.
std::vector<float> search_demands(const Instance& instance);

}  // namespace neuopt
