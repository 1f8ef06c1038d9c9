// Sizes at which the k-d tree takes over.
#include <gtest/gtest.h>

#include <algorithm>

#include "local/iterate.h"
#include "local/kicks/string_removal.h"
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

/// Above the size of matrices: on the sphere and in space, where the plane of the search is no guide.
TEST(LargeInstances, TreeFindsTheNearestByTheFilesConvention) {
  for (const Metric metric : {Metric::euc_2d, Metric::geo, Metric::euc_3d, Metric::explicit_matrix}) {
    Instance instance = generate_uniform(ProblemKind::cvrp, kMatrixUpTo + 100, 3, 0);  // no quadrants
    instance.metric = metric;
    for (Point& point : instance.coordinates) {
      if (metric == Metric::euc_3d) instance.z.push_back(1e5 * std::fmod(1e3 * (point.x + point.y), 1.0));
      point =
          metric == Metric::geo ? Point{178 * point.x - 89, 358 * point.y - 179} : Point{1e5 * point.x, 1e5 * point.y};
    }
    if (metric == Metric::explicit_matrix)
      for (int from = 0; from < instance.size; ++from)
        for (int to = 0; to < instance.size; ++to)
          instance.matrix.push_back(from == to ? 0
                                               : 1 + (std::min(from, to) * 7919 + std::max(from, to) * 104729) % 9973);
    const LocalWorld world(instance, 10);
    ASSERT_TRUE(world.search.matrix.empty());
    for (int node = world.search.depots; node < world.search.size(); node += 31) {
      std::vector<double> all;
      for (int other = world.search.depots; other < world.search.size(); ++other)
        if (other != node) all.push_back(env::edge_cost(world.view(), node, other));
      std::sort(all.begin(), all.end());
      for (int i = 0; i < 10; ++i)
        ASSERT_EQ(env::edge_cost(world.view(), node, world.neighbours.view().of(node)[i]),
                  all[static_cast<std::size_t>(i)])
            << static_cast<int>(metric);
    }
    EXPECT_EQ(local::find_neighbours(world.search, 10, 3).lists, world.neighbours.lists) << "whatever the threads";
  }
}

TEST(LargeInstances, AnswersDoNotDependOnTheMatrix) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 300, 3, 0);
  instance.metric = Metric::euc_2d;
  for (Point& point : instance.coordinates) point = {1e3 * point.x, 1e3 * point.y};
  local::IterateOptions options;
  options.most_iterations = 300;
  options.share_done = [](const local::IterateProgress&) { return 0.5; };
  std::vector<std::vector<int>> found;
  for (const int matrix_up_to : {kMatrixUpTo, 0}) {
    const SearchInstance search = make_search_instance(instance, {.matrix_up_to = matrix_up_to});
    const local::Neighbours neighbours = local::find_neighbours(search);
    const std::vector<int> start = start_from(search, local::savings(search, neighbours).value());
    found.push_back(local::iterate(search, neighbours, start, options).order);
  }
  EXPECT_EQ(found[0], found[1]);
}

/// Ends after some looks: the tour is valid, and better than before unless there was no look at all.
TEST(LargeInstances, LocalSearchMayEndAnywhere) {
  for (const ProblemKind kind : kProblemKinds) {
    LocalWorld world(generate_uniform(kind, 200, 3, 0), 10);
    const std::vector<int> start = world.order;
    const auto measured = [&] {
      return env::tour_cost(world.view(), {world.search.size(), world.order.data(), nullptr});
    };
    double last = measured();
    for (const int looks : {0, 1, 50, 500, 1'000'000}) {
      world.order = start;
      int left = looks;
      const double cost = env::for_problem(kind, [&](auto problem) {
        return local::LocalSearch<decltype(problem)>::polish(SerialLanes{}, world.task(), world.order.data(),
                                                             world.workspace.data(), [&] { return left-- > 0; })
            .cost;
      });
      EXPECT_TRUE(world.is_well_formed(world.order));
      EXPECT_EQ(cost, measured());
      EXPECT_NEAR(cost, world.penalised(world.order, 1e6), 1e-6 * cost);
      EXPECT_LE(cost, last * (1 + 1e-12));
      last = cost;
    }
    EXPECT_EQ(world.polish(world.task()).moves, 0) << "the last one came to its end";
  }
}

TEST(LargeInstances, TheJournalCountsRoutesInUse) {
  LocalWorld world(generate_uniform(ProblemKind::cvrp, 100, 3, 0), 10, 120);
  std::vector<int> alone;  // every customer has a route of its own, so that many become empty
  for (int depot = 0; depot < world.search.depots; ++depot) {
    alone.push_back(depot);
    if (depot < world.search.customers()) alone.push_back(world.search.depots + depot);
  }
  auto search = local::LocalSearch<env::Cvrp>::start(SerialLanes{}, world.task(), alone.data(), world.workspace.data());
  const auto& routes = search.view.routes;
  const auto counted = [&] {
    int used = 0;
    for (int depot = 0; depot < routes.depots; ++depot) used += routes.link(depot, 0) != depot ? 1 : 0;
    return used;
  };
  local::RouteJournal journal(routes);
  EXPECT_EQ(journal.in_use(), 100);
  for (int moves = 1; moves < 60; moves += 7) {
    search.queue.clear(SerialLanes{});
    search.queue.fill(SerialLanes{}, 100, [&](int customer) { return world.search.depots + customer; });
    int left = moves;
    search.improve(SerialLanes{}, journal, left);
    if (moves % 2 == 0)
      journal.undo(world.view());
    else
      journal.forget();
    ASSERT_EQ(journal.in_use(), counted());
  }
  EXPECT_LT(journal.in_use(), 80);
}

TEST(LargeInstances, ManyEqualPlaces) {
  Instance instance = generate_uniform(ProblemKind::tsp, 1200, 3, 0);
  for (int node = 0; node < 1100; ++node) instance.coordinates[static_cast<std::size_t>(node)] = {0.5, 0.5};
  const LocalWorld world(instance, 10);
  for (int node = 0; node < 1200; ++node)
    for (int i = 0; i < 10; ++i) ASSERT_NE(world.neighbours.view().of(node)[i], node);
  EXPECT_TRUE(verify(instance, local::greedy_edge(world.search, world.neighbours).value()).feasible);
}

/// Uniform instances: what a start costs more than the best, roughly, is known.
TEST(LargeInstances, StartsAreAsGoodAsTheyShouldBe) {
  LocalWorld tsp(generate_uniform(ProblemKind::tsp, 3000, 5, 0), 10);
  const double best = 0.7124 * std::sqrt(3000.0) * (1 + 0.33 / 3000);
  EXPECT_LT(solution_cost(tsp.instance, local::space_filling(tsp.search)), 1.45 * best);
  const Solution greedy = local::greedy_edge(tsp.search, tsp.neighbours).value();
  EXPECT_LT(solution_cost(tsp.instance, greedy), 1.25 * best);
  tsp.order = start_from(tsp.search, greedy);
  EXPECT_LT(tsp.polish(tsp.task()).cost, 1.08 * best);

  const LocalWorld cvrp(generate_uniform(ProblemKind::cvrp, 3000, 5, 0), 10);
  const Solution savings = local::savings(cvrp.search, cvrp.neighbours).value();
  EXPECT_TRUE(verify(cvrp.instance, savings).feasible);
  EXPECT_LE(savings.routes.size(), static_cast<std::size_t>(cvrp.search.depots));
  EXPECT_LT(solution_cost(cvrp.instance, savings),
            0.85 * solution_cost(cvrp.instance, local::space_filling(cvrp.search)));
}

}  // namespace
}  // namespace neuopt
