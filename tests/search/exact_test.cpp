#include "search/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/numbers.h"
#include "problem/rounding.h"
#include "problem/validate.h"
#include "problem/verify.h"
#include "search_fixture.h"
#include "support/random_tour.h"

namespace neuopt::search {
namespace {

using test::Draws;

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

bool is_valid(const Instance& instance) {
  try {
    validate(instance);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Demands of which neighbours often fill a vehicle to the last unit, whole numbers of any size or fractions.
void draw_loads(Draws& draws, Instance& instance) {
  constexpr double kCapacities[] = {7, 50'021, 5'000'011, 123'456'789, 0.3, 2.5, 1e9 / 3};
  instance.capacity = kCapacities[draws.below(std::size(kCapacities))];
  const bool whole = is_whole(instance.capacity);
  instance.demand.assign(static_cast<std::size_t>(instance.size), 0);
  for (std::size_t node = 1; node < instance.demand.size(); ++node) {
    const double drawn = static_cast<double>(draws.unit()) * instance.capacity;
    const bool fills = node % 2 == 0 && draws.below(3) > 0;
    instance.demand[node] = fills   ? instance.capacity - instance.demand[node - 1]
                            : whole ? std::floor(drawn)
                                    : instance.capacity * draws.below(11) / 10;
  }
}

/// Narrow windows, of whole numbers or halves or thirds of them.
void draw_times(Draws& draws, Instance& instance) {
  const double unit = 1.0 / draws.between(1, 3);
  const int day = draws.between(8, 30);
  instance.windows = {{0, day * unit}};
  instance.service = {0};
  while (static_cast<int>(instance.windows.size()) < instance.size) {
    const int opens = draws.below(day);
    instance.windows.push_back({opens * unit, (opens + draws.below(4)) * unit});
    instance.service.push_back(draws.below(3) * unit);
  }
}

/// A few places on a small lattice, where many distances are whole numbers by any rounding.
Instance draw_tight_instance(Draws& draws, ProblemKind kind) {
  Instance instance;
  do {
    instance = {};
    instance.kind = kind;
    instance.metric = kRoundings[static_cast<std::size_t>(draws.below(std::size(kRoundings)))].metric;
    instance.size = draws.between(2, 6);
    const double spacing = draws.below(2) == 0 ? 1 : 0.7;
    for (int node = 0; node < instance.size; ++node)
      instance.coordinates.push_back({spacing * draws.below(4), spacing * draws.below(4)});
    if (traits(kind).demands) draw_loads(draws, instance);
    if (traits(kind).depots) instance.vehicles = draws.below(4);
    if (traits(kind).windows) draw_times(draws, instance);
  } while (!is_valid(instance));
  return instance;
}

/// Full vehicles and windows that leave no time to spare, where one rounding more or less decides.
TEST(Exact, IsTheBestThatTheVerifierAllows) {
  for (const ProblemKind kind : kProblemKinds)
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      Draws draws(seed);
      Instance instance = draw_tight_instance(draws, kind);
      const Solution exact = solve_exactly(instance);
      const double within_bound = cheapest_by_enumeration(instance);
      EXPECT_EQ(verify(instance, exact).feasible, std::isfinite(within_bound)) << problem_name(kind) << " " << seed;
      if (!std::isfinite(within_bound)) instance.vehicles = 0;
      EXPECT_TRUE(verify(instance, exact).feasible) << problem_name(kind) << " " << seed;
      EXPECT_NEAR(verify(instance, exact).cost, cheapest_by_enumeration(instance), 1e-9)
          << problem_name(kind) << " " << seed;
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
