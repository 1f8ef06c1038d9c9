// Whatever searches an instance with fixed edges, its answer has them all, and is the same at any number of threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "problem/verify.h"
#include "search/exact.h"
#include "search/starts.h"
#include "search_fixture.h"
#include "support/fixed_edges.h"
#include "support/property.h"

namespace neuopt::search {
namespace {

using test::check_property;
using test::draw_seed;
using test::Draws;
using test::search_one;

/// A generated instance of any shape, with a file's convention half of the time.
Instance draw_instance(int least, int most) {
  Draws draws = draw_seed();
  const int nodes = draws.between(least, most);
  Instance instance = generate_shaped(ProblemKind::tsp, nodes, static_cast<std::uint64_t>(draws.below(1 << 30)), 0);
  if (draws.below(2) == 0) {
    instance.metric = Metric::euc_2d;
    for (Point& point : instance.coordinates) point = {1000 * point.x, 1000 * point.y};
  }
  test::fix_random_edges(instance, *rc::gen::element(2, 20, 50, 80, 97, 100).as("percent"), draws);
  return instance;
}

StartKind draw_start() {
  return *rc::gen::element(StartKind::automatic, StartKind::random, StartKind::greedy, StartKind::curve).as("start");
}

SolveOptions a_little_of_everything() {
  SolveOptions options;
  options.copies = 2;
  options.steps = 25;
  options.restart = 10;
  options.polish = 5;
  return options;
}

void check_answer(const Instance& instance, SolveOptions options) {
  options.threads = 1;
  const SolveResult one = search_one(instance, options);
  const Verdict verdict = verify(instance, one.solution);
  RC_ASSERT(verdict.findings.empty());
  RC_ASSERT(one.feasible);
  options.threads = 2;
  RC_ASSERT(search_one(instance, options).solution.routes == one.solution.routes);
}

TEST(FixedEdgesProperty, PolicyKeepsThem) {
  check_property(100, [] {
    const Instance instance = draw_instance(10, 60);
    SolveOptions options = a_little_of_everything();
    options.start = draw_start();
    check_answer(instance, options);
  });
}

TEST(FixedEdgesProperty, LocalSearchWithKicksKeepsThem) {
  check_property(100, [] {
    const Instance instance = draw_instance(10, 150);
    SolveOptions options = a_little_of_everything();
    options.use_policy = false;
    options.steps = 300;
    options.start = draw_start();
    check_answer(instance, options);
  });
}

TEST(FixedEdgesProperty, PartsKeepThem) {
  check_property(25, [] {
    const Instance instance = draw_instance(150, 300);
    SolveOptions options = a_little_of_everything();
    options.by_parts = true;
    options.start = draw_start();
    check_answer(instance, options);
  });
}

/// Of all tours, by the verifier. Node 0 stays in front.
double cheapest_tour(const Instance& instance) {
  std::vector<int> order(static_cast<std::size_t>(instance.size));
  std::iota(order.begin(), order.end(), 0);
  double best = std::numeric_limits<double>::infinity();
  do {
    if (order[1] > order.back()) continue;  // the same tour the other way round
    const double cost = solution_cost(instance, {{order}});
    if (cost < best && verify(instance, {{order}}).feasible) best = cost;
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return best;
}

TEST(FixedEdgesProperty, TinyInstancesAreSolvedExactly) {
  check_property(60, [] {
    const Instance instance = draw_instance(5, kTinySize);
    const SolveResult result = search_one(instance, a_little_of_everything());
    RC_ASSERT(verify(instance, result.solution).feasible);
    RC_ASSERT(std::abs(result.cost - cheapest_tour(instance)) < 1e-9 * (1 + result.cost));
    RC_ASSERT(result.stopped_by == StopReason::exact);
  });
}

/// With two free edges there are two tours, whatever the size.
TEST(FixedEdges, TwoChainsAreJoinedTheBetterWay) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Draws draws(seed);
    Instance instance = generate_uniform(ProblemKind::tsp, draws.between(10, 40), seed, 0);
    const std::vector<int> order = test::random_tour(instance.size, draws).order;
    const int cut = draws.below(instance.size - 1);
    for (int p = 0; p + 1 < instance.size; ++p)
      if (p != cut) instance.fixed_edges.emplace_back(order[p], order[p + 1]);
    std::vector<int> turned = order;
    std::reverse(turned.begin() + cut + 1, turned.end());
    for (const bool use_policy : {true, false}) {
      SolveOptions options = a_little_of_everything();
      options.use_policy = use_policy;
      const SolveResult result = search_one(instance, options);
      EXPECT_TRUE(verify(instance, result.solution).feasible);
      EXPECT_EQ(result.stopped_by, StopReason::exact);
      EXPECT_NEAR(result.cost, std::min(solution_cost(instance, {{order}}), solution_cost(instance, {{turned}})), 1e-9);
    }
  }
}

/// A window that is searched must have something to exchange: also where nearly all edges are fixed.
TEST(FixedEdges, PartsImproveWhatIsLeft) {
  for (const int percent : {30, 80, 90}) {
    Draws draws(7);
    Instance instance = generate_uniform(ProblemKind::tsp, 300, 2, 0);
    test::fix_random_edges(instance, percent, draws);
    SolveOptions options = a_little_of_everything();
    options.by_parts = true;
    options.start = StartKind::random;
    options.steps = 50;
    const double begin = solution_cost(instance, make_start(instance, StartKind::random, options.seed));
    EXPECT_LT(search_one(instance, options).cost, 0.99 * begin) << percent;
  }
}

TEST(FixedEdges, AnInitialSolutionMustHaveThem) {
  Instance instance = generate_uniform(ProblemKind::tsp, 20, 3, 0);
  SolveOptions options = a_little_of_everything();
  options.initial = make_start(instance, StartKind::greedy, 1);
  const std::vector<int>& tour = options.initial->routes[0];
  instance.fixed_edges = {{tour[4], tour[3]}, {tour[0], tour[19]}};
  EXPECT_TRUE(verify(instance, search_one(instance, options).solution).feasible);
  instance.fixed_edges.emplace_back(tour[8], tour[10]);
  try {
    search_one(instance, options);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const auto [low, high] = std::minmax(tour[8], tour[10]);
    EXPECT_EQ(std::string(error.what()), "the initial solution lacks the fixed edge of nodes " +
                                             std::to_string(low + 1) + " and " + std::to_string(high + 1));
  }
}

}  // namespace
}  // namespace neuopt::search
