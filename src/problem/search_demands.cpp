#include "problem/search_demands.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/numbers.h"
#include "problem/packing.h"

namespace neuopt {
namespace {

/// The most customers that a route can have.
int longest_route(const Instance& instance) {
  std::vector<double> demand = instance.demand;
  demand.erase(demand.begin() + instance.depot);
  std::sort(demand.begin(), demand.end());
  int customers = 0;
  for (double load = 0; customers < std::ssize(demand) && (load += demand[customers]) <= instance.capacity;)
    ++customers;
  return customers;
}

/// Of whole numbers; 1 when all are 0.
double common_divisor(const std::vector<double>& demands) {
  std::int64_t divisor = 0;
  for (const double demand : demands) divisor = std::gcd(divisor, static_cast<std::int64_t>(demand));
  return divisor > 0 ? static_cast<double>(divisor) : 1;
}

}  // namespace

std::vector<float> search_demands(const Instance& instance) {
  const double hidden = (kLoadLimit - 1.0) * instance.capacity;
  const bool whole = is_whole(instance.capacity) && all_whole(instance.demand);
  const auto all = [&](auto&& counted) {
    std::vector<float> demands;
    for (const double demand : instance.demand) demands.push_back(static_cast<float>(counted(demand)));
    return demands;
  };
  if (!whole || hidden <= 0.5) return all([&](double demand) { return demand / instance.capacity; });
  const double unit = common_divisor(instance.demand), capacity = std::floor(instance.capacity / unit);
  // Multiples of this add up without rounding as far as the limit, which is one of them.
  constexpr double kGrain = 1.0 / (1 << 23);
  const double limit = kLoadLimit / kGrain;
  if (longest_route(instance) * capacity < 1 / kGrain)  // half a grain for each customer is below half a unit
    return all([&](double demand) { return std::round(demand / unit / (capacity + 0.5) * limit) * kGrain; });
  return all([&](double demand) { return std::ceil(demand / unit / capacity * limit) * kGrain; });
}

}  // namespace neuopt
