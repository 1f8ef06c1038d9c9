#include "problem/start.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/error.h"
#include "env/host_instance.h"
#include "problem/generate.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

bool is_tour(const SearchInstance& search, std::vector<int> order) {
  if (order.empty() || order[0] != 0) return false;
  std::sort(order.begin(), order.end());
  std::vector<int> all(static_cast<std::size_t>(search.size()));
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

TEST(StandardStart, TakesCustomersInOrderAndEndsWithUnusedDepots) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 6, 1, 0, 10);
  instance.demand = {0, 5, 5, 4, 7, 1, 9};
  const SearchInstance search = make_search_instance(instance, {.min_depots = 6});
  EXPECT_EQ(env::standard_start(search, Random{1}, 0, 0), (std::vector<int>{0, 6, 7, 1, 8, 2, 9, 10, 3, 11, 4, 5}));
}

TEST(StandardStart, IsKeyedBySeedInstanceAndCopy) {
  const SearchInstance search = make_search_instance(generate_uniform(ProblemKind::tsp, 100, 1, 0));
  const auto order = env::standard_start(search, Random{1}, 0, 0);
  EXPECT_TRUE(is_tour(search, order));
  EXPECT_EQ(env::standard_start(search, Random{1}, 0, 0), order);
  EXPECT_NE(env::standard_start(search, Random{2}, 0, 0), order);
  EXPECT_NE(env::standard_start(search, Random{1}, 1, 0), order);
  EXPECT_NE(env::standard_start(search, Random{1}, 0, 1), order);
}

TEST(StandardStart, DrawsEveryPermutationEvenly) {
  const SearchInstance search = make_search_instance(generate_uniform(ProblemKind::tsp, 4, 1, 0));
  std::map<std::vector<int>, int> count;
  constexpr int draws = 12000;
  for (std::uint32_t copy = 0; copy < draws; ++copy) ++count[env::standard_start(search, Random{5}, 0, copy)];
  ASSERT_EQ(count.size(), 6u);
  for (const auto& [order, seen] : count) EXPECT_NEAR(seen, draws / 6, 6 * 41);  // six standard deviations
}

TEST(Starts, AreFeasible) {
  for (const int customers : {1, 2, 7, 20, 33, 100, 257}) {
    const Instance instance = generate_uniform(ProblemKind::cvrp, customers, 3, 0);
    const SearchInstance search = make_search_instance(instance);
    const std::vector<int> order = env::standard_start(search, Random{1}, 0, 0);
    EXPECT_TRUE(is_tour(search, order));
    const Verdict verdict = verify(instance, to_solution(search, order));
    EXPECT_TRUE(verdict.feasible) << customers;
    EXPECT_NEAR(verdict.cost, tour_cost(search, order) * search.cost_scale, 1e-4 * customers);
  }
}

TEST(Starts, RoundTripThroughSolutions) {
  const SearchInstance tsp = make_search_instance(generate_uniform(ProblemKind::tsp, 30, 1, 0));
  const auto tour = env::standard_start(tsp, Random{1}, 0, 0);
  EXPECT_EQ(start_from(tsp, to_solution(tsp, tour)), tour);

  const SearchInstance cvrp = make_search_instance(generate_uniform(ProblemKind::cvrp, 30, 1, 0));
  const auto order = env::standard_start(cvrp, Random{1}, 0, 0);
  EXPECT_EQ(start_from(cvrp, to_solution(cvrp, order)), order);
}

TEST(StartFrom, KeepsOrientationAndDropsEmptyRoutes) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 4, 1, 0);
  instance.depot = 1;
  std::swap(instance.demand[0], instance.demand[1]);
  const SearchInstance search = make_search_instance(instance, {.min_depots = 4});
  const auto order = start_from(search, {{{4, 0}, {}, {3, 2}}});
  EXPECT_EQ(order, (std::vector<int>{0, 7, 4, 1, 6, 5, 2, 3}));
  EXPECT_EQ(to_solution(search, order).routes, (std::vector<std::vector<int>>{{4, 0}, {3, 2}}));

  const SearchInstance tsp = make_search_instance(generate_uniform(ProblemKind::tsp, 4, 1, 0));
  EXPECT_EQ(start_from(tsp, {{{2, 3, 0, 1}}}), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(start_from(tsp, {{{1, 0, 3, 2}}}), (std::vector<int>{0, 3, 2, 1}));
}

TEST(StartFrom, ReadsToursWithEmptyRoutesInTheMiddle) {
  const SearchInstance search = make_search_instance(generate_uniform(ProblemKind::cvrp, 3, 1, 0), {.min_depots = 4});
  EXPECT_EQ(to_solution(search, std::vector<int>{0, 2, 5, 1, 3, 6, 4}).routes,
            (std::vector<std::vector<int>>{{2}, {3, 1}}));
}

TEST(StartFrom, RefusesATourThatLacksAFixedEdge) {
  Instance instance = generate_uniform(ProblemKind::tsp, 5, 1, 0);
  instance.fixed_edges = {{4, 2}};
  const SearchInstance search = make_search_instance(instance);
  EXPECT_EQ(start_from(search, {{{2, 0, 1, 3, 4}}}), (std::vector<int>{0, 1, 3, 4, 2}));
  EXPECT_THROW(start_from(search, {{{0, 1, 2, 3, 4}}}), InputError);
}

TEST(WithFixedEdges, ChainsComeWholeInTheOrderOfTheirFirstNodes) {
  Instance instance = generate_uniform(ProblemKind::tsp, 8, 1, 0);
  instance.fixed_edges = {{7, 2}, {2, 5}, {1, 6}};
  const SearchInstance search = make_search_instance(instance);
  EXPECT_EQ(with_fixed_edges(search, {0, 5, 3, 6, 1, 2, 4, 7}), (std::vector<int>{0, 5, 2, 7, 3, 6, 1, 4}));
  EXPECT_EQ(with_fixed_edges(search, {0, 3, 2, 1, 6, 5, 4, 7}), (std::vector<int>{0, 3, 7, 2, 5, 1, 6, 4}))
      << "an inner node brings its chain as well";
  EXPECT_EQ(with_fixed_edges(search, {6, 0, 3, 4, 2, 7, 5, 1}), (std::vector<int>{0, 3, 4, 7, 2, 5, 6, 1}))
      << "node 0 in front";
}

TEST(WithFixedEdges, LeavesOthersAsTheyAre) {
  const SearchInstance search = make_search_instance(generate_uniform(ProblemKind::tsp, 5, 1, 0));
  EXPECT_EQ(with_fixed_edges(search, {0, 2, 4, 1, 3}), (std::vector<int>{0, 2, 4, 1, 3}));
}

TEST(StartFrom, RefusesWhatIsNoTour) {
  const SearchInstance search = make_search_instance(generate_uniform(ProblemKind::cvrp, 3, 1, 0));
  ASSERT_EQ(search.depots, 2);
  EXPECT_THROW(start_from(search, {{{1, 2}}}), InputError);
  EXPECT_THROW(start_from(search, {{{1, 2, 2}}}), InputError);
  EXPECT_THROW(start_from(search, {{{1, 2, 3, 4}}}), InputError);
  EXPECT_THROW(start_from(search, {{{0, 1, 2, 3}}}), InputError);
  EXPECT_THROW(start_from(search, {{{1}, {2}, {3}}}), InputError);
}

}  // namespace
}  // namespace neuopt
