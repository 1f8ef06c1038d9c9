// The inverse of a tour.
#pragma once

#include <span>
#include <vector>

namespace neuopt::backends {

/// (N) position of each node. Throws InputError when `order` is not a tour of `nodes` nodes that begins at node 0.
std::vector<int> positions_of(std::span<const int> order, int nodes);

}  // namespace neuopt::backends
