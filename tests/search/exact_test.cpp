#include "search/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "problem/verify.h"
#include "search_fixture.h"

namespace neuopt::search {
namespace {

/// All orders of the customers, cut into routes in every possible way.
double cheapest_by_enumeration(const Instance& instance) {
  std::vector<int> customers;
  for (int node = 0; node < instance.size; ++node)
    if (instance.kind == ProblemKind::tsp || node != instance.depot) customers.push_back(node);
  const int cut_sets = instance.kind == ProblemKind::tsp ? 1 : 1 << (customers.size() - 1);
  double best = std::numeric_limits<double>::infinity();
  do {
    for (int cuts = 0; cuts < cut_sets; ++cuts) {
      Solution solution{{{}}};
      for (std::size_t i = 0; i < customers.size(); ++i) {
        solution.routes.back().push_back(customers[i]);
        if (cuts >> i & 1) solution.routes.emplace_back();
      }
      const Verdict verdict = verify(instance, solution);
      if (verdict.feasible) best = std::min(best, verdict.cost);
    }
  } while (std::next_permutation(customers.begin(), customers.end()));
  return best;
}

TEST(Exact, AgreesWithEnumeration) {
  for (int size = 1; size <= 7; ++size)
    for (const Instance& instance : test::uniform_set(ProblemKind::tsp, size, 3)) {
      const Verdict verdict = verify(instance, solve_exactly(instance));
      EXPECT_TRUE(verdict.feasible);
      EXPECT_NEAR(verdict.cost, cheapest_by_enumeration(instance), 1e-9) << size;
    }
  for (int size = 1; size <= 6; ++size)
    for (Instance& instance : test::uniform_set(ProblemKind::cvrp, size, 3)) {
      instance.capacity = 12;
      const Verdict verdict = verify(instance, solve_exactly(instance));
      EXPECT_TRUE(verdict.feasible);
      EXPECT_NEAR(verdict.cost, cheapest_by_enumeration(instance), 1e-9) << size;
    }
}

/// Wide windows and narrow ones, with which few orders are in time.
TEST(Exact, AgreesWithEnumerationInTime) {
  for (int size = 1; size <= 7; ++size)
    for (std::uint64_t index = 0; index < (size < 7 ? 8 : 2); ++index) {
      Instance instance = generate_uniform(ProblemKind::vrptw, size, 4, index);
      instance.capacity = 20;
      for (TimeWindow& window : instance.windows)
        if (index % 2 == 1) window.closes = std::min(window.closes + 1.5, instance.windows[instance.depot].closes);
      for (int node = 0; node < instance.size; ++node) {
        const double home = instance.distance(instance.depot, node) + instance.service[node];
        if (node != instance.depot) instance.windows[node].closes = std::min(instance.windows[node].closes, 4.6 - home);
      }
      const Verdict verdict = verify(instance, solve_exactly(instance));
      EXPECT_TRUE(verdict.feasible);
      EXPECT_NEAR(verdict.cost, cheapest_by_enumeration(instance), 1e-9) << size << " " << index;
    }
}

TEST(Exact, KeepsToFullVehicles) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 8, 3, 0);
  for (double& demand : instance.demand) demand = std::min(demand, 1.0);
  instance.capacity = 1;  // every customer has a vehicle of its own
  const Solution solution = solve_exactly(instance);
  EXPECT_EQ(solution.routes.size(), 8u);
  EXPECT_TRUE(verify(instance, solution).feasible);
}

TEST(Exact, RefusesADemandAboveTheCapacity) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 3, 3, 0);
  instance.capacity = 0.5;
  EXPECT_THROW(solve_exactly(instance), InputError);
}

TEST(Exact, FindsTheDepotWhereverItIs) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 4, 9, 0);
  const double before = verify(instance, solve_exactly(instance)).cost;
  std::swap(instance.coordinates[0], instance.coordinates[3]);
  std::swap(instance.demand[0], instance.demand[3]);
  instance.depot = 3;
  EXPECT_NEAR(verify(instance, solve_exactly(instance)).cost, before, 1e-12);
}

}  // namespace
}  // namespace neuopt::search
