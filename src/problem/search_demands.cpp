#include "problem/search_demands.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/numbers.h"
#include "problem/packing.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

/// The most customers that a route can have, of those with a demand.
int longest_route(const Instance& instance) {
  std::vector<double> demand = instance.demand;
  std::erase(demand, 0.0);
  std::sort(demand.begin(), demand.end());
  int customers = 0;
  for (double load = 0;
       customers < std::ssize(demand) && (load += demand[customers]) <= instance.capacity + load_tolerance(instance);)
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
  const auto all = [&](auto&& counted) {
    std::vector<float> demands;
    for (const double demand : instance.demand) demands.push_back(static_cast<float>(counted(demand)));
    return demands;
  };
  const bool whole = is_whole(instance.capacity) && all_whole(instance.demand);
  const double hidden = (kLoadLimit - 1.0) * instance.capacity;
  const int customers = longest_route(instance);
  constexpr int kFewToAdd =
      250;  // each sum below 1 is off by 3e-8 at the most, together by less than the limit is above 1
  if (whole && hidden <= 0.5 && customers <= kFewToAdd)
    return all([&](double demand) { return demand / instance.capacity; });

  // A load of `full` must fit, and one of `refused` and more must not.
  const double unit = whole ? common_divisor(instance.demand) : 1;
  const double full = whole ? std::floor(instance.capacity / unit) : instance.capacity;
  const double refused = full + (whole ? 1 : load_tolerance(instance));
  // Multiples of this add up without rounding as far as the limit, which is one of them.
  constexpr double kGrain = 1.0 / (1 << 23);
  const double limit = kLoadLimit / kGrain;
  // Half a grain for each customer, and for the one too many that must be refused.
  if ((customers + 1) * refused * kGrain < refused - full)
    return all([&](double demand) { return std::round(demand / unit / ((full + refused) / 2) * limit) * kGrain; });
  const double most = whole ? full : refused;
  return all([&](double demand) { return std::ceil(demand / unit / most * limit) * kGrain; });
}

}  // namespace neuopt
