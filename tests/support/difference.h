// Comparing numbers in tests.
#pragma once

#include <cmath>

namespace neuopt::test {

/// |a - b|, infinite where either is not a number: so that it is never the smaller of two.
inline double difference(double a, double b) {
  const double result = std::abs(a - b);
  return std::isnan(result) ? INFINITY : result;
}

}  // namespace neuopt::test
