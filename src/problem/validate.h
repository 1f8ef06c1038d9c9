// Whether an instance makes sense, for those that no reader of files has checked.
#pragma once

#include "problem/instance.h"

namespace neuopt {

/// No coordinate, distance, demand, capacity or time may be larger: all costs stay exact integers in a double.
constexpr double magnitude_limit = 1e12;

/// Throws InputError when the instance cannot be solved as it is: no such problem or metric, no nodes, arrays whose
/// lengths do not fit, a number that is not finite or beyond magnitude_limit, distances that are not symmetric, a depot
/// out of range or with a demand, a capacity that is not positive, a demand that is negative or above the capacity, a
/// time window that closes before it opens, a negative service time or one at the depot, a customer that no vehicle can
/// serve in its window and be back in time, fixed edges that no tour can have together (or that are a cycle, or of a
/// problem with depots). Messages count nodes from `first_node`: 1, as files do, or 0, as programs do.
void validate(const Instance& instance, int first_node = 1);

}  // namespace neuopt
