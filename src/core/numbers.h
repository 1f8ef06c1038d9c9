// Small facts about doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace neuopt {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Infinities count as whole, NaN does not.
inline bool is_whole(double value) { return value == std::floor(value); }

inline bool all_whole(const std::vector<double>& values) { return std::all_of(values.begin(), values.end(), is_whole); }

}  // namespace neuopt
