// Greedy edge: the shortest edge that still fits into a tour is taken, again and again.
#pragma once

#include "local/neighbours.h"

namespace neuopt::local {

/// A TSP tour.
Solution greedy_edge(const SearchInstance& instance, const Neighbours& neighbours);

}  // namespace neuopt::local
