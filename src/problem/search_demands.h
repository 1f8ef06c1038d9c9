// The demands of an instance as the search counts them: parts of the capacity, in single precision.
#pragma once

#include <vector>

#include "problem/instance.h"

namespace neuopt {

/// One for each node of the Instance. The search calls a route overloaded when they add up to more than kLoadLimit
/// (problem/packing.h), and so does the verifier then, and only then:
/// - Whole numbers, with a capacity up to 50,000 and up to 250 customers on a route, are divided by the capacity. The
///   limit and the rounding of sums hide less than a unit.
/// - Otherwise demands are rounded so that sums are exact, and scaled so that the limit lies halfway between what must
///   fit and what must not: a unit more, the common divisor of whole numbers, or the verifier's tolerance.
/// - Where the rounding of so many customers could hide that (above 8,400,000 units over the customers of a route, or
///   with fractions above 82 customers), they are rounded up: no route is overloaded, and some ten-millionths of the
///   capacity for each customer stay unused.
std::vector<float> search_demands(const Instance& instance);

}  // namespace neuopt
