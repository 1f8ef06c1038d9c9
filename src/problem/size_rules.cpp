#include "problem/size_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace neuopt {
namespace {

constexpr std::array<double, 4> kPublishedSizes{20, 50, 100, 200};

/// The value at a size above the first published one: straight lines, the last one continued.
double interpolate(const std::array<double, 4>& published, double size) {
  std::size_t right = 1;
  while (right + 1 < kPublishedSizes.size() && size > kPublishedSizes[right]) ++right;
  const double share = (size - kPublishedSizes[right - 1]) / (kPublishedSizes[right] - kPublishedSizes[right - 1]);
  return published[right - 1] + share * (published[right] - published[right - 1]);
}

}  // namespace

int uniform_capacity(int customers) {
  return static_cast<int>(std::lround(interpolate({30, 40, 50, 70}, std::max(customers, 20))));
}

int usual_depots(ProblemKind kind, int customers) {
  if (customers < 20) return std::max(2, (customers + 1) / 2);
  static_assert(written_for(3));
  const std::array<double, 4> depots =
      traits(kind).windows ? std::array<double, 4>{10, 20, 28, 48} : std::array<double, 4>{10, 20, 20, 30};
  return static_cast<int>(std::lround(interpolate(depots, customers)));
}

}  // namespace neuopt
