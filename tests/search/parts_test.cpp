// Parts of large instances: what is cut out and put back is the same solution, and what changes is what is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "env/host_instance.h"
#include "problem/generate.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "search/parts/route_parts.h"
#include "search/parts/tour_exchange.h"
#include "search/parts/whole.h"

namespace neuopt::search {
namespace {

using Generator = std::mt19937;

int below(Generator& random, int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random); }

/// An instance with a solution that is far from good.
struct World {
  Instance instance;
  SearchInstance view;
  local::Neighbours neighbours;
  std::vector<int> order;
};

World tsp_world(Generator& random, int nodes) {
  World world{
      .instance = generate_uniform(ProblemKind::tsp, nodes, random(), 0), .view = {}, .neighbours = {}, .order = {}};
  world.view = make_search_instance(world.instance);
  world.neighbours = local::find_neighbours(world.view);
  world.order.resize(static_cast<std::size_t>(nodes));
  std::iota(world.order.begin(), world.order.end(), 0);
  // Sorted in stripes: windows then have paths of some length.
  std::sort(world.order.begin() + 1, world.order.end(), [&](int a, int b) {
    const auto key = [&](int node) {
      const auto i = static_cast<std::size_t>(node);
      return std::pair(static_cast<int>(10 * world.view.y[i]), world.view.x[i]);
    };
    return key(a) < key(b);
  });
  return world;
}

/// From few fixed edges to so many that most nodes are left out of windows.
World fixed_world(Generator& random, int nodes) {
  World world = tsp_world(random, nodes);
  const int percent = 10 + below(random, 80);
  for (std::size_t p = 0; p + 1 < world.order.size(); ++p)
    if (below(random, 100) < percent) world.instance.fixed_edges.emplace_back(world.order[p], world.order[p + 1]);
  world.view = make_search_instance(world.instance);
  return world;
}

/// Capacities from a few customers to so many that routes are longer than a part.
World cvrp_world(Generator& random, int customers) {
  World world{.instance = generate_uniform(ProblemKind::cvrp, customers, random(), 0),
              .view = {},
              .neighbours = {},
              .order = {}};
  world.instance.capacity = 15 + below(random, 1500);
  Solution solution;
  double load = world.instance.capacity + 1;
  for (int node = 1; node < world.instance.size; ++node) {
    const double demand = world.instance.demand[static_cast<std::size_t>(node)];
    if (load + demand > world.instance.capacity) {
      solution.routes.emplace_back();
      load = 0;
    }
    load += demand;
    solution.routes.back().push_back(node);
  }
  world.view = make_search_instance(world.instance, {.min_depots = static_cast<int>(solution.routes.size()) + 3});
  world.neighbours = local::find_neighbours(world.view);
  world.order = start_from(world.view, solution);
  return world;
}

/// Windows as they are drawn, or all day long; distances as they are, or cut after one decimal.
World vrptw_world(Generator& random, int customers) {
  World world{.instance = generate_uniform(ProblemKind::vrptw, customers, random(), 0),
              .view = {},
              .neighbours = {},
              .order = {}};
  if (below(random, 4) > 0) {
    world.instance.windows.assign(static_cast<std::size_t>(world.instance.size), {0, 40});
    world.instance.capacity = 100 + below(random, 200);
  }
  if (below(random, 2) == 0) {
    world.instance.metric = Metric::dimacs_2d;
    for (Point& point : world.instance.coordinates) point = {1000 * point.x, 1000 * point.y};
    for (TimeWindow& window : world.instance.windows)
      window = {std::ceil(1000 * window.opens), std::ceil(1000 * window.closes) + 1};
    for (double& service : world.instance.service) service = std::floor(1000 * service);
  }
  world.view = make_search_instance(world.instance);
  world.neighbours = local::find_neighbours(world.view);
  world.order = env::standard_start(world.view, Random{1}, 0, 0);
  return world;
}

double cost_of(const World& world, const std::vector<int>& order) { return tour_cost(world.view, order); }

/// Turns stretches of a part's tour round, between edges that are free.
std::vector<int> shuffled(const Part& part, Generator& random) {
  std::vector<int> tour = part.start;
  const kopt::FixedEdges fixed = env::fixed_edges(part.view);
  const int nodes = static_cast<int>(tour.size());
  const auto free_after = [&](int p) { return !fixed.has(tour[p], tour[p + 1 < nodes ? p + 1 : 0]); };
  for (int turn = 0; turn < 20; ++turn) {
    const int a = below(random, nodes - 1), b = below(random, nodes - 1);
    if (!free_after(std::min(a, b)) || !free_after(std::max(a, b))) continue;
    std::reverse(tour.begin() + std::min(a, b) + 1, tour.begin() + std::max(a, b) + 1);
  }
  return tour;
}

/// Distances that are not whole numbers are rounded in the square of the part.
void expect_same_times(const World& world, const Part& part) {
  for (std::size_t i = 0; i < part.customers.size() && !world.view.times.empty(); ++i) {
    const int node = part.view.depots + static_cast<int>(i), other = part.customers[i];
    ASSERT_EQ(part.view.times[static_cast<std::size_t>(node)].closes,
              world.view.times[static_cast<std::size_t>(other)].closes);
    ASSERT_NEAR(part.view.travel_time(0, node), world.view.travel_time(0, other), world.view.ticks.whole ? 0 : 3);
    ASSERT_NEAR(static_cast<double>(part.view.tick_length) * part.view.travel_time(0, node),
                std::hypot(part.view.x[0] - part.view.x[node], part.view.y[0] - part.view.y[node]), 1e-2);
  }
}

void expect_round_trips(World (*make)(Generator&, int), int least_size) {
  int changed = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const World world = make(random, least_size + below(random, 500));
    const auto whole = make_whole(world.view, world.neighbours, world.order);
    ASSERT_EQ(whole->order(), world.order);
    local::KickDraws draws(Random{seed}, 0, 0, 0);
    const std::vector<PartPlan> plans = whole->cut(6, draws);
    ASSERT_FALSE(plans.empty());
    std::vector<int> used(static_cast<std::size_t>(world.view.size()), 0);
    for (const PartPlan& plan : plans) {
      ASSERT_EQ(plan.nodes, plans.front().nodes);
      for (const int customer : plan.customers) ASSERT_EQ(used[static_cast<std::size_t>(customer)]++, 0);
      const Part part = make_part(world.view, plan);
      ASSERT_EQ(part.view.size(), plan.nodes);
      std::vector<int> sorted = part.start;
      std::sort(sorted.begin(), sorted.end());
      for (int i = 0; i < plan.nodes; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
      expect_same_times(world, part);

      const std::vector<int> before = whole->order();
      ASSERT_NEAR(whole->put_back(part, part.start, 1e9).value_or(1), 0, 1e-9);
      ASSERT_NEAR(cost_of(world, whole->order()), cost_of(world, before), 1e-9);

      const std::optional<double> delta = whole->put_back(part, shuffled(part, random), 1e9);
      const std::vector<int> after = whole->order();
      changed += delta ? 1 : 0;
      ASSERT_NEAR(cost_of(world, after), cost_of(world, before) + delta.value_or(0), 1e-4);
      const Verdict verdict = verify(world.instance, to_solution(world.view, after));
      ASSERT_TRUE(verdict.feasible) << verdict.findings.front();
    }
    const double put_together = cost_of(world, whole->order());
    whole->improve({});
    ASSERT_LE(cost_of(world, whole->order()), put_together + 1e-9);
    ASSERT_TRUE(verify(world.instance, to_solution(world.view, whole->order())).feasible);
  }
  EXPECT_GT(changed, 30);
}

TEST(Parts, WindowsComeBackAsTheyWere) { expect_round_trips(tsp_world, 100); }
TEST(Parts, WindowsKeepFixedEdges) { expect_round_trips(fixed_world, 100); }
TEST(Parts, GroupsOfRoutesComeBackAsTheyWere) { expect_round_trips(cvrp_world, 60); }

TEST(Parts, GroupsOfRoutesKeepTheirTimes) { expect_round_trips(vrptw_world, 60); }

/// A session has copies of one size, and the routes may become fewer or more from round to round.
TEST(Parts, HaveOneSizeHoweverManyRoutesThereAre) {
  const Instance instance = generate_uniform(ProblemKind::cvrp, 40, 1, 0);
  const SearchInstance view = make_search_instance(instance, {.min_depots = 41});
  const local::Neighbours neighbours = local::find_neighbours(view);
  Solution alone, pairs;
  for (int node = 1; node < instance.size; ++node) {
    alone.routes.push_back({node});
    if (node % 2 == 1) pairs.routes.emplace_back();
    pairs.routes.back().push_back(node);
  }
  local::KickDraws draws(Random{1}, 0, 0, 0);
  const auto nodes = [&](const Solution& solution) {
    return make_whole(view, neighbours, start_from(view, solution))->cut(1, draws).at(0).nodes;
  };
  EXPECT_EQ(nodes(alone), nodes(pairs));
}

/// Most customers are on one route, which no group has room for, and few on each of the others.
TEST(Parts, ARouteOfMostCustomersIsTakenInPartsOrNothingIs) {
  for (const ProblemKind kind : {ProblemKind::cvrp, ProblemKind::vrptw}) {
    Instance instance = generate_uniform(kind, 400, 1, 0);
    instance.capacity = 1e6;
    if (kind == ProblemKind::vrptw) instance.windows.assign(static_cast<std::size_t>(instance.size), {0, 1000});
    Solution solution;
    solution.routes.resize(1);
    for (int node = 1; node < instance.size; ++node) {
      if (node > 300 && node % 2 == 1) solution.routes.emplace_back();
      (node <= 300 ? solution.routes.front() : solution.routes.back()).push_back(node);
    }
    const SearchInstance view = make_search_instance(instance, {.min_depots = 60});
    const local::Neighbours neighbours = local::find_neighbours(view);
    local::KickDraws draws(Random{1}, 0, 0, 0);
    int on_long_route = 0, others = 0;
    for (const PartPlan& plan : make_whole(view, neighbours, start_from(view, solution))->cut(6, draws))
      for (const int customer : plan.customers)
        ++(view.node_of[static_cast<std::size_t>(customer)] <= 300 ? on_long_route : others);
    EXPECT_EQ(on_long_route > 0, kind == ProblemKind::cvrp);
    EXPECT_EQ(others > 0, kind == ProblemKind::cvrp);
  }
}

TEST(Parts, CostsOfAPartAreThoseOfTheWhole) {
  Generator random(3);
  World world = tsp_world(random, 400);
  world.instance.metric = Metric::euc_2d;
  for (Point& point : world.instance.coordinates) point = {1000 * point.x, 1000 * point.y};
  world.view = make_search_instance(world.instance);
  const auto whole = make_whole(world.view, world.neighbours, world.order);
  local::KickDraws draws(Random{1}, 0, 0, 0);
  const Part part = make_part(world.view, whole->cut(1, draws).at(0));
  for (int a = 0; a < part.view.size(); ++a)
    for (int b = 0; b < part.view.size(); ++b)
      EXPECT_EQ(part.view.edge_cost(a, b) * part.view.cost_scale,
                world.view.edge_cost(part.customers[static_cast<std::size_t>(a)],
                                     part.customers[static_cast<std::size_t>(b)]));
}

TEST(TourExchange, AgreesWithWalkingTheEdges) {
  int accepted = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    Generator random(seed);
    const int nodes = 5 + below(random, 12);
    std::vector<int> order(static_cast<std::size_t>(nodes));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    LongTour tour(order);
    std::vector<Edge> removed, added;
    std::vector<int> ends;
    for (int p = 0; p < nodes; ++p)
      if (below(random, 3) == 0) {
        removed.emplace_back(order[p], order[p + 1 < nodes ? p + 1 : 0]);
        ends.insert(ends.end(), {removed.back().first, removed.back().second});
      }
    std::shuffle(ends.begin(), ends.end(), random);
    bool loops = false;
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      added.emplace_back(ends[i], ends[i + 1]);
      loops = loops || ends[i] == ends[i + 1];
    }
    // The graph after the exchange, walked from node 0.
    std::vector<std::vector<int>> links(static_cast<std::size_t>(nodes));
    const auto link = [&](int a, int b) {
      links[static_cast<std::size_t>(a)].push_back(b);
      links[static_cast<std::size_t>(b)].push_back(a);
    };
    for (int p = 0; p < nodes; ++p) {
      const Edge edge(order[p], order[p + 1 < nodes ? p + 1 : 0]);
      if (std::find(removed.begin(), removed.end(), edge) == removed.end()) link(edge.first, edge.second);
    }
    for (const auto& [a, b] : added) link(a, b);
    int length = 0, last = -1, node = 0;
    do {
      const auto& both = links[static_cast<std::size_t>(node)];
      const int next = both[0] == last ? both[1] : both[0];
      last = node;
      node = next;
      ++length;
    } while (node != 0 && length <= nodes && !loops);
    const bool cycle = !loops && length == nodes;
    bool doubled = false;  // two nodes joined twice: a walk cannot tell the edges apart
    for (const auto& both : links) doubled = doubled || both[0] == both[1];
    if (doubled) continue;
    EXPECT_EQ(exchange_edges(tour, removed, added), cycle);
    accepted += cycle ? 1 : 0;
    std::vector<int> sorted = tour.order;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < nodes; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
    if (!cycle) {
      EXPECT_EQ(tour.order, order);
    }
    if (cycle)
      for (int i = 0; i < nodes; ++i) {
        const auto& both = links[static_cast<std::size_t>(i)];
        EXPECT_TRUE((both[0] == tour.after(i) && both[1] == tour.before(i)) ||
                    (both[1] == tour.after(i) && both[0] == tour.before(i)));
      }
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace neuopt::search
