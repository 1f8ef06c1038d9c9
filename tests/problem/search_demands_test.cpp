#include "problem/search_demands.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "core/philox.h"
#include "problem/normalize.h"
#include "problem/packing.h"

namespace neuopt {
namespace {

/// In single precision, as the search adds up.
float load_of(const SearchInstance& search) {
  float load = 0;
  for (int node = search.depots; node < search.size(); ++node) load += search.demand[node];
  return load;
}

Instance customers_with(std::vector<double> demand, double capacity) {
  Instance instance;
  instance.kind = ProblemKind::cvrp;
  demand.insert(demand.begin(), 0);
  instance.size = static_cast<int>(demand.size());
  instance.coordinates.assign(demand.size(), {0.5, 0.5});
  instance.demand = std::move(demand);
  instance.capacity = capacity;
  return instance;
}

TEST(SearchDemands, NoCapacityIsTooLargeForLoadsOfManyCustomers) {
  constexpr int kCustomers = 30;
  for (const double capacity : {1e3, 1e5, 2e5, 1e6, 1.5e6, 2e6, 5e6, 1e9, 1e12})
    for (std::uint32_t draw = 0; draw < 200; ++draw) {
      Instance instance;
      instance.kind = ProblemKind::cvrp;
      instance.size = kCustomers + 1;
      instance.coordinates.assign(kCustomers + 1, {0.5, 0.5});
      instance.capacity = capacity;
      instance.demand.assign(kCustomers + 1, 0);
      double left = capacity;
      for (int node = 1; node < kCustomers; ++node) {
        const Philox4 words = Random{9}.words(Draw::instance, draw, 0, static_cast<std::uint32_t>(node), 0);
        instance.demand[node] = std::floor(uniform_float(words.word[0]) * left / 8);
        left -= instance.demand[node];
      }
      instance.demand[kCustomers] = left;
      const SearchInstance full = make_search_instance(instance);
      EXPECT_TRUE(capacity * kCustomers > 8e6 || load_of(full) <= kLoadLimit) << capacity;
      instance.demand[kCustomers] += 1;
      EXPECT_GT(load_of(make_search_instance(instance)), kLoadLimit) << capacity;
      instance.demand[kCustomers] -= 1 + std::ceil(kCustomers * capacity / (1 << 23));  // what rounding up may cost
      EXPECT_LE(load_of(make_search_instance(instance)), kLoadLimit) << capacity;
      instance.demand.assign(kCustomers + 1, 0);
      instance.demand[1] = capacity;
      EXPECT_LE(load_of(make_search_instance(instance)), kLoadLimit) << capacity;
    }
}

TEST(SearchDemands, AVehicleTakesAsManyEqualLargeDemandsAsFit) {
  for (const double demand : {1.0, 20'000.0, 1'000'001.0, 333'333'333.0, 1e11 + 1})
    for (const double spare : {0.0, 1.0}) {  // a capacity that is no multiple of the demand has room for no more of it
      const double capacity = 3 * demand + (demand > 1 ? spare : 0);
      for (const std::size_t count : {3, 4}) {
        const std::vector<double> demands(count, demand);
        EXPECT_EQ(load_of(make_search_instance(customers_with(demands, capacity))) <= kLoadLimit, count == 3) << demand;
      }
    }
}

TEST(SearchDemands, LongRoutesAreFullToTheLastCustomerAndNotBeyond) {
  for (const int capacity : {200, 251, 712, 800, 801, 2800, 49'858}) {
    const auto load_with = [&](int count, double demand) {
      return load_of(make_search_instance(customers_with(std::vector<double>(count, demand), capacity)));
    };
    if (capacity <= 2800) {  // ones
      EXPECT_LE(load_with(capacity, 1), kLoadLimit) << capacity;
      EXPECT_GT(load_with(capacity + 1, 1), kLoadLimit) << capacity;
    }
    EXPECT_LE(load_with(capacity / 73, 73), kLoadLimit) << capacity;
    EXPECT_GT(load_with(capacity / 73 + 1, 73), kLoadLimit) << capacity;
  }
}

/// The customer that is one too many is rounded as well.
TEST(SearchDemands, OneUnitTooManyIsRefusedHoweverLargeTheDemands) {
  for (const auto& [demand, count] : {std::pair{3'000'000, 2}, {524'294, 4}, {49'638, 13}, {4'194'303, 2}}) {
    std::vector<double> demands(static_cast<std::size_t>(count), demand);
    demands.push_back(demand + 1);  // no common divisor; on a route of its own
    const SearchInstance view = make_search_instance(customers_with(demands, demand * count - 1));
    float load = 0;
    for (int node = view.depots; node < view.depots + count; ++node)
      load += view.demand[static_cast<std::size_t>(node)];
    EXPECT_GT(load, kLoadLimit) << demand;
  }
}

/// The verifier takes up to 1e-5 of the capacity more, and the search may take neither more nor less than is full.
TEST(SearchDemands, FractionsFillARouteAsTheVerifierHasIt) {
  const auto load_with = [](const std::vector<double>& demand, double capacity) {
    return load_of(make_search_instance(customers_with(demand, capacity)));
  };
  EXPECT_LE(load_with({333.5, 333.25, 332.25}, 999), kLoadLimit);
  EXPECT_GT(load_with({333.01, 333, 333}, 999), kLoadLimit);
  EXPECT_GT(load_with({0.5, 0.500010005}, 1), kLoadLimit);
  for (std::uint32_t draw = 0; draw < 300; ++draw)
    for (const int customers : {2, 10, 82, 83, 300}) {
      std::vector<double> demand;
      for (int i = 0; i < customers; ++i)
        demand.push_back(0.001 + uniform_float(Random{4}.words(Draw::instance, draw, 0, i, 0).word[0]));
      const double full = std::accumulate(demand.begin(), demand.end(), 0.0);
      EXPECT_TRUE(customers > 82 || load_with(demand, full) <= kLoadLimit) << customers;
      EXPECT_GT(load_with(demand, full / 1.00001001), kLoadLimit) << customers;
      EXPECT_LE(load_with(demand, full * (1 + 1.2e-7 * customers)), kLoadLimit) << customers;
    }
}

TEST(SearchDemands, SeesOneUnitTooManyWithALargeCapacity) {
  for (const double capacity : {10.0, 60'000.0, 1'000'000.0}) {
    const SearchInstance search = make_search_instance(customers_with({capacity / 2, capacity / 2, 1, 0}, capacity));
    const int first = search.depots;
    EXPECT_LE(search.demand[first] + search.demand[first + 1], kLoadLimit) << capacity;
    EXPECT_GT(search.demand[first] + search.demand[first + 1] + search.demand[first + 2], kLoadLimit) << capacity;
  }
}

}  // namespace
}  // namespace neuopt
