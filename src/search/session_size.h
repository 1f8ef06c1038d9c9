// How many copies a session of the backend gets. The answer does not depend on it; memory and response times do.
#pragma once

#include <algorithm>

namespace neuopt::search {

/// The work and the memory of a copy grow with the square of its nodes; both rules are stated for 100 of them.
inline int scaled_copies(double copies_at_100, int nodes) {
  const double relative = nodes / 100.0;
  return static_cast<int>(std::clamp(copies_at_100 / (relative * relative), 1.0, 4096.0));
}

/// For throughput.
inline int throughput_copies(int nodes, int threads) { return std::max(threads, scaled_copies(1000, nodes)); }

/// For deadlines: a step of the session should take some ten milliseconds at most.
inline int responsive_copies(int nodes, int threads) { return threads * scaled_copies(8, nodes); }

}  // namespace neuopt::search
