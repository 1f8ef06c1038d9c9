// The roundings of Euclidean distances in the plane, by the names that they have in options and results: none, round
// (to the nearest integer), trunc (down to an integer) and dimacs (cut after one decimal).
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "problem/instance.h"

namespace neuopt {

struct Rounding {
  std::string_view name;
  Metric metric;
};

inline constexpr std::array kRoundings{Rounding{"none", Metric::unit}, Rounding{"round", Metric::euc_2d},
                                       Rounding{"trunc", Metric::floor_2d}, Rounding{"dimacs", Metric::dimacs_2d}};

/// "" when the metric is no Euclidean distance in the plane, or rounds in another way.
constexpr std::string_view rounding_name(Metric metric) {
  for (const Rounding& rounding : kRoundings)
    if (rounding.metric == metric) return rounding.name;
  return {};
}

/// The metric of a rounding; nothing when there is none of that name.
constexpr std::optional<Metric> parse_rounding(std::string_view name) {
  for (const Rounding& rounding : kRoundings)
    if (rounding.name == name) return rounding.metric;
  return std::nullopt;
}

}  // namespace neuopt
