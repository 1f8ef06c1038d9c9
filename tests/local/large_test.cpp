// Sizes at which the k-d tree takes over.
#include <gtest/gtest.h>

#include <algorithm>

#include "local/starts/greedy_edge.h"
#include "local/starts/savings.h"
#include "local/starts/space_filling.h"
#include "local_world.h"
#include "problem/start.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

using test::LocalWorld;

TEST(LargeInstances, TreeFindsTheNearest) {
  const LocalWorld world(generate_uniform(ProblemKind::cvrp, 1500, 3, 0), 10);
  const local::NeighbourView lists = world.neighbours.view();
  for (int node = world.search.depots; node < world.search.size(); node += 7) {
    std::vector<std::pair<double, int>> all;
    for (int other = world.search.depots; other < world.search.size(); ++other)
      if (other != node) all.emplace_back(env::edge_cost(world.view(), node, other), other);
    std::sort(all.begin(), all.end());
    for (int i = 0; i < lists.count; ++i) ASSERT_EQ(lists.of(node)[i], all[static_cast<std::size_t>(i)].second);
  }
}

TEST(LargeInstances, ManyEqualPlaces) {
  Instance instance = generate_uniform(ProblemKind::tsp, 1200, 3, 0);
  for (int node = 0; node < 1100; ++node) instance.coordinates[static_cast<std::size_t>(node)] = {0.5, 0.5};
  const LocalWorld world(instance, 10);
  for (int node = 0; node < 1200; ++node)
    for (int i = 0; i < 10; ++i) ASSERT_NE(world.neighbours.view().of(node)[i], node);
  EXPECT_TRUE(verify(instance, local::greedy_edge(world.search, world.neighbours)).feasible);
}

/// Uniform instances: what a start costs more than the best, roughly, is known.
TEST(LargeInstances, StartsAreAsGoodAsTheyShouldBe) {
  LocalWorld tsp(generate_uniform(ProblemKind::tsp, 3000, 5, 0), 10);
  const double best = 0.7124 * std::sqrt(3000.0) * (1 + 0.33 / 3000);
  EXPECT_LT(solution_cost(tsp.instance, local::space_filling(tsp.search)), 1.45 * best);
  const Solution greedy = local::greedy_edge(tsp.search, tsp.neighbours);
  EXPECT_LT(solution_cost(tsp.instance, greedy), 1.25 * best);
  tsp.order = start_from(tsp.search, greedy);
  EXPECT_LT(tsp.polish(tsp.task()).cost, 1.08 * best);

  const LocalWorld cvrp(generate_uniform(ProblemKind::cvrp, 3000, 5, 0), 10);
  const Solution savings = local::savings(cvrp.search, cvrp.neighbours);
  EXPECT_TRUE(verify(cvrp.instance, savings).feasible);
  EXPECT_LE(savings.routes.size(), static_cast<std::size_t>(cvrp.search.depots));
  EXPECT_LT(solution_cost(cvrp.instance, savings),
            0.85 * solution_cost(cvrp.instance, local::space_filling(cvrp.search)));
}

}  // namespace
}  // namespace neuopt
