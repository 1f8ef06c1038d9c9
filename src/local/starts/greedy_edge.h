// Greedy edge: the shortest edge that still fits into a tour is taken, again and again.
#pragma once

#include <optional>

#include "core/until.h"
#include "local/neighbours.h"

namespace neuopt::local {

/// A TSP tour that has the fixed edges; nothing when there was not enough time.
std::optional<Solution> greedy_edge(const SearchInstance& instance, const Neighbours& neighbours,
                                    const Until& until = {});

}  // namespace neuopt::local
