// Small facts about doubles.
#pragma once

#include <cmath>
#include <limits>

namespace neuopt {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Infinities count as whole, NaN does not.
inline bool is_whole(double value) { return value == std::floor(value); }

}  // namespace neuopt
