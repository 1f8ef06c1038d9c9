// Along Hilbert's curve through the unit square: nowhere near the best, but linear but for a sort, and near in the tour
// is near in the plane. For the very large.
#pragma once

#include "problem/normalize.h"

namespace neuopt::local {

/// TSP: the nodes along the curve, with the fixed edges. With depots: the customers along it, a new route whenever
/// the next one does not fit or is late; there may be more routes than the instance has depots (see savings.h).
Solution space_filling(const SearchInstance& instance);

}  // namespace neuopt::local
