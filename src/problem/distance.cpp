// Edge costs by the conventions of TSPLIB95. Rounding there means int(x + 0.5), which for distances is floor(x + 0.5).
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "problem/instance.h"

namespace neuopt {
namespace {

/// std::trunc, which is a call of the library where the processor may lack the instruction: searches ask for distances
/// all the time. Beyond 2^52 every number is whole.
double truncated(double x) { return std::fabs(x) < 0x1p52 ? static_cast<double>(static_cast<std::int64_t>(x)) : x; }

double nearest(double x) { return truncated(x + 0.5); }

/// Of what is not negative.
double rounded_up(double x) {
  const double whole = truncated(x);
  return whole < x ? whole + 1 : whole;
}

/// A GEO coordinate is DDD.MM, degrees and minutes; TSPLIB computes with this value of pi and truncated degrees.
double geo_radians(double coordinate) {
  constexpr double pi = 3.141592;
  const double degrees = truncated(coordinate);
  const double minutes = coordinate - degrees;
  return pi * (degrees + 5.0 * minutes / 3.0) / 180.0;
}

/// Great-circle distance in kilometres on TSPLIB's idealised earth, x being the latitude.
double geo_distance(const Point& a, const Point& b) {
  constexpr double earth_radius = 6378.388;
  const double latitude_a = geo_radians(a.x);
  const double latitude_b = geo_radians(b.x);
  const double q1 = std::cos(geo_radians(a.y) - geo_radians(b.y));
  const double q2 = std::cos(latitude_a - latitude_b);
  const double q3 = std::cos(latitude_a + latitude_b);
  const double cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
  // Equal points may give a cosine a little above 1.
  return truncated(earth_radius * std::acos(std::clamp(cosine, -1.0, 1.0)) + 1.0);
}

/// Pseudo-Euclidean: shrunk by sqrt(10) and rounded up.
double att_distance(double dx, double dy) {
  const double exact = std::sqrt((dx * dx + dy * dy) / 10.0);
  const double rounded = nearest(exact);
  return rounded < exact ? rounded + 1.0 : rounded;
}

}  // namespace

double Instance::distance(int from, int to) const {
  if (from == to) return 0;
  if (metric == Metric::explicit_matrix) {
    return matrix[static_cast<std::size_t>(from) * static_cast<std::size_t>(size) + static_cast<std::size_t>(to)];
  }
  const Point& a = coordinates[from];
  const Point& b = coordinates[to];
  const double dx = std::fabs(a.x - b.x);
  const double dy = std::fabs(a.y - b.y);
  const double dz = z.empty() ? 0 : std::fabs(z[from] - z[to]);
  switch (metric) {
    case Metric::unit:
      return std::sqrt(dx * dx + dy * dy);
    case Metric::euc_2d:
      return nearest(std::sqrt(dx * dx + dy * dy));
    case Metric::floor_2d:
      return truncated(std::sqrt(dx * dx + dy * dy));
    case Metric::dimacs_2d:
      return truncated(10 * std::sqrt(dx * dx + dy * dy)) / 10;
    case Metric::ceil_2d:
      return rounded_up(std::sqrt(dx * dx + dy * dy));
    case Metric::man_2d:
      return nearest(dx + dy);
    case Metric::max_2d:
      return std::max(nearest(dx), nearest(dy));
    case Metric::euc_3d:
      return nearest(std::sqrt(dx * dx + dy * dy + dz * dz));
    case Metric::man_3d:
      return nearest(dx + dy + dz);
    case Metric::max_3d:
      return std::max({nearest(dx), nearest(dy), nearest(dz)});
    case Metric::geo:
      return geo_distance(a, b);
    case Metric::att:
      return att_distance(dx, dy);
    case Metric::explicit_matrix:
      break;
  }
  return 0;
}

std::array<double, 3> place_in_space(const Instance& instance, int node) {
  const auto& [x, y] = instance.coordinates[node];
  if (instance.metric != Metric::geo) return {x, y, instance.z.empty() ? 0 : instance.z[node]};
  const double latitude = geo_radians(x), longitude = geo_radians(y);
  return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude), std::sin(latitude)};
}

double solution_cost(const Instance& instance, const Solution& solution) {
  double total = 0;
  for (const auto& route : solution.routes) {
    if (route.empty()) continue;
    const bool through_depot = traits(instance.kind).depots;
    int previous = through_depot ? instance.depot : route.back();
    for (const int node : route) {
      total += instance.distance(previous, node);
      previous = node;
    }
    if (through_depot) total += instance.distance(previous, instance.depot);
  }
  return instance.metric == Metric::dimacs_2d ? std::round(10 * total) / 10 : total;  // a sum of tenths is one
}

}  // namespace neuopt
