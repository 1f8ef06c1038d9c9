// Every start is a feasible solution with the fixed edges, on instances of all sorts; neighbour lists are what a plain
// sort says.
#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

#include "local/starts/greedy_edge.h"
#include "local/starts/savings.h"
#include "local/starts/space_filling.h"
#include "local_world.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "support/fixed_edges.h"
#include "support/property.h"

namespace neuopt {
namespace {

using test::check_property;
using test::draw_seed;
using test::Draws;
using test::LocalWorld;

LocalWorld draw_world(Draws& draws, ProblemKind kind) {
  const int customers = *rc::gen::inRange(1, 400).as("customers");
  const auto sort = static_cast<test::Sort>(*rc::gen::inRange(0, test::kSorts).as("sort"));
  Instance instance = test::sorted_instance(kind, customers, sort, draws);
  if (kind == ProblemKind::tsp)
    test::fix_random_edges(instance, *rc::gen::element(0, 0, 20, 90, 100).as("fixed, percent"), draws);
  return LocalWorld(std::move(instance), *rc::gen::inRange(0, 12).as("neighbours"));
}

/// Feasible, and a tour for the search once there are depots enough.
void check_start(const LocalWorld& world, const Solution& solution) {
  RC_ASSERT(verify(world.instance, solution).feasible);
  const int routes = static_cast<int>(solution.routes.size());
  const SearchInstance search = make_search_instance(world.instance, {world.search.depots > 0 ? routes : 0});
  RC_ASSERT(verify(world.instance, to_solution(search, start_from(search, solution))).feasible);
}

TEST(StartsProperty, SavingsAreFeasible) {
  check_property(300, [] {
    Draws draws = draw_seed();
    const LocalWorld world = draw_world(draws, ProblemKind::cvrp);
    const Solution solution = local::savings(world.search, world.neighbours).value();
    check_start(world, solution);
    if (world.instance.capacity > 1e8) RC_ASSERT(solution.routes.size() <= 2u);
  });
}

TEST(StartsProperty, GreedyEdgeVisitsAll) {
  check_property(300, [] {
    Draws draws = draw_seed();
    const LocalWorld world = draw_world(draws, ProblemKind::tsp);
    check_start(world, local::greedy_edge(world.search, world.neighbours).value());
  });
}

TEST(StartsProperty, SpaceFillingIsFeasible) {
  check_property(300, [] {
    Draws draws = draw_seed();
    const ProblemKind kind = draws.below(2) == 0 ? ProblemKind::cvrp : ProblemKind::tsp;
    const LocalWorld world = draw_world(draws, kind);
    check_start(world, local::space_filling(world.search));
  });
}

using RankedNodes = std::vector<std::pair<double, int>>;

/// Of the nodes in order of distance: two in each quadrant around the node, and the nearest of the others.
RankedNodes with_quadrants(const LocalWorld& world, int node, const RankedNodes& sorted, std::size_t count) {
  const auto& [x, y] = std::tie(world.search.x, world.search.y);
  int found[2][2] = {};
  RankedNodes chosen, others;
  for (const auto& entry : sorted) {
    int& in_quadrant = found[x[entry.second] >= x[node] ? 1 : 0][y[entry.second] >= y[node] ? 1 : 0];
    (in_quadrant++ < 2 ? chosen : others).push_back(entry);
  }
  others.resize(std::min(others.size(), count - std::min(count, chosen.size())));
  chosen.insert(chosen.end(), others.begin(), others.end());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

TEST(StartsProperty, NeighboursAreTheNearest) {
  check_property(100, [] {
    Draws draws = draw_seed();
    const LocalWorld world = draw_world(draws, draws.below(2) == 0 ? ProblemKind::cvrp : ProblemKind::tsp);
    const local::NeighbourView lists = world.neighbours.view();
    for (int node = world.search.depots; node < world.search.size(); ++node) {
      RankedNodes all;
      for (int other = world.search.depots; other < world.search.size(); ++other)
        if (other != node) all.emplace_back(env::edge_cost(world.view(), node, other), other);
      std::sort(all.begin(), all.end());
      if (world.search.depots == 0 && world.search.size() > 200 && lists.count >= 8)
        all = with_quadrants(world, node, all, static_cast<std::size_t>(lists.count));
      for (int i = 0; i < lists.count; ++i) RC_ASSERT(lists.of(node)[i] == all[static_cast<std::size_t>(i)].second);
    }
  });
}

}  // namespace
}  // namespace neuopt
