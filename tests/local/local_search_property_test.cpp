// Whatever tour it begins from: local search never makes it worse, says truly what its moves change, keeps tours and
// loads valid, gives the same answer on any number of lanes, and leaves fixed edges alone.
#include <cmath>
#include <cstdint>
#include <set>

#include "local_world.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "support/property.h"

namespace neuopt {
namespace {

using test::check_property;
using test::draw_seed;
using test::Draws;
using test::LocalWorld;

LocalWorld draw_world(Draws& draws, int most_customers = 30) {
  const ProblemKind kind = *rc::gen::elementOf(kProblemKinds).as("problem");
  const int customers = *rc::gen::inRange(1, most_customers + 1).as("customers");
  const auto sort = static_cast<test::Sort>(*rc::gen::inRange(0, test::kSorts).as("sort"));
  const int neighbours = *rc::gen::inRange(0, 12).as("neighbours");
  LocalWorld world(test::sorted_instance(kind, customers, sort, draws), neighbours, draws.between(0, customers));
  if (draws.below(3) != 0) world.shuffle(draws);
  return world;
}

local::LocalRules draw_rules(Draws& draws) {
  local::LocalRules rules;
  if (draws.below(2) == 0) rules.penalty = 0.1 * draws.between(1, 30);
  return rules;
}

TEST(LocalSearchProperty, NeverWorseAndWellFormed) {
  check_property(3000, [] {
    Draws draws = draw_seed();
    LocalWorld world = draw_world(draws);
    const local::LocalRules rules = draw_rules(draws);
    const double before = world.penalised(world.order, rules.penalty);
    const bool feasible_before = before == world.penalised(world.order, 0);
    const local::Polished polished = world.polish(world.task(rules));
    const double after = world.penalised(world.order, rules.penalty);
    RC_ASSERT(world.is_well_formed(world.order));
    RC_ASSERT(after <= before * (1 + 1e-12));
    RC_ASSERT(polished.cost == env::tour_cost(world.view(), {world.search.size(), world.order.data(), nullptr}));
    RC_ASSERT(polished.violation > 0 || verify(world.instance, to_solution(world.search, world.order)).feasible);
    if (rules.penalty > 1000 && feasible_before) RC_ASSERT(!(polished.violation > 0));
    RC_ASSERT(world.polish(world.task(rules)).moves == 0);  // nothing is left to gain
  });
}

/// What every node knows of the times of its route.
void check_times(const LocalWorld& world, const local::Routes<env::Vrptw>& routes) {
  for (int depot = 0; depot < routes.depots; ++depot)
    for (const int direction : {0, 1}) {
      std::vector<int> stops{depot};
      for (int node = routes.link(depot, direction); node != depot; node = routes.link(node, direction))
        stops.push_back(node);
      stops.push_back(depot);
      const auto drive = [&](RouteClock clock, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
          clock.visit(env::travel_time(world.view(), stops[i], stops[i + 1]), world.search.times[stops[i + 1]]);
        return clock;
      };
      if (stops.size() > 2) RC_ASSERT(routes.times.warp[depot] <= drive({}, 0, stops.size() - 1).warp);
      for (std::size_t i = 1; i + 1 < stops.size(); ++i) {
        const int node = stops[i], at = 2 * node + direction;
        const RouteClock left = drive({}, 0, i);
        RC_ASSERT(routes.times.left.time[at] == left.time);
        RC_ASSERT(routes.times.left.warp[at] == left.warp);
        for (const std::int32_t late : {-1, 0, 1, 1000}) {
          RouteClock here;
          here.time = routes.times.ahead.time[at] + late;
          here.visit(0, world.search.times[node]);
          RC_ASSERT(drive(here, i, stops.size() - 1).warp == routes.times.ahead.warp[at] + std::max(late, 0));
        }
      }
    }
}

/// Applies one move after the other and compares costs.
template <class Problem>
void check_deltas(LocalWorld& world, const local::LocalRules& rules) {
  using Search = local::LocalSearch<Problem>;
  constexpr bool kRoutes = Problem::traits.depots;
  Search search = Search::start(SerialLanes{}, world.task(rules), world.order.data(), world.workspace.data());
  for (int node = world.search.depots; node < world.search.size() && world.search.size() > 3; ++node)
    search.queue.push(node);
  const auto current = [&] {
    std::vector<int> order = world.order;
    if constexpr (kRoutes) local::write_order(search.view.routes, order.data());
    return order;
  };
  double cost = world.penalised(current(), rules.penalty);
  for (int moves = 0; !search.queue.empty() && moves < 300; ++moves) {
    int left = 1;
    double delta = 0;
    if constexpr (kRoutes) {
      local::NoRouteChanges journal;
      delta = search.improve(SerialLanes{}, journal, left);
    } else {
      local::NoReversals journal;
      delta = search.improve(SerialLanes{}, journal, left);
    }
    const double next = world.penalised(current(), rules.penalty);
    RC_ASSERT(std::fabs(next - (cost + delta)) <= 1e-9 * (1 + std::fabs(cost)));
    cost = next;
    if constexpr (kRoutes) {
      const auto& routes = search.view.routes;
      for (int node = 0; node < routes.nodes; ++node) {
        const int next_node = routes.link(node, 0);
        RC_ASSERT(routes.link(next_node, 1) == node);
        RC_ASSERT(routes.route[next_node] == routes.route[node]);
        RC_ASSERT(routes.edge(node, 0) == local::search_cost(world.view(), node, next_node));
        RC_ASSERT(routes.edge(next_node, 1) == routes.edge(node, 0));
        if (routes.is_depot(next_node)) continue;
        RC_ASSERT(routes.rank[next_node] == routes.rank[node] + 1);
        RC_ASSERT(routes.load[next_node] == routes.load[node] + world.search.demand[next_node]);
      }
      if constexpr (Problem::traits.windows) check_times(world, routes);
      RC_ASSERT(*routes.empty < 0 || routes.link(*routes.empty, 0) == *routes.empty);
    }
  }
}

TEST(LocalSearchProperty, DeltasAreDifferencesOfCosts) {
  check_property(2000, [] {
    Draws draws = draw_seed();
    LocalWorld world = draw_world(draws);
    const local::LocalRules rules = draw_rules(draws);
    env::for_problem(world.search.kind, [&](auto problem) { check_deltas<decltype(problem)>(world, rules); });
  });
}

TEST(LocalSearchProperty, LanesAgreeToTheBit) {
  check_property(60, [] {
    Draws draws = draw_seed();
    LocalWorld serial = draw_world(draws);
    LocalWorld shared = serial;
    const local::LocalRules rules = draw_rules(draws);
    const local::Polished expected = serial.polish(serial.task(rules));
    const int count = *rc::gen::inRange(2, 6).as("lanes");
    std::vector<local::Polished> found(count);
    std::vector<local::Move> slots(count);
    const local::LocalTask task = shared.task(rules);
    test::run_lanes(count, [&](const test::ThreadLanes& lanes) {
      env::for_problem(shared.search.kind, [&](auto problem) {
        found[lanes.first()] = local::LocalSearch<decltype(problem)>::polish(
            test::ReducingLanes(lanes, slots), task, shared.order.data(), shared.workspace.data());
      });
    });
    RC_ASSERT(shared.order == serial.order);
    for (const local::Polished& polished : found) {
      RC_ASSERT(polished.cost == expected.cost);
      RC_ASSERT(polished.violation == expected.violation);
      RC_ASSERT(polished.moves == expected.moves);
    }
  });
}

std::multiset<std::pair<int, int>> edges_of(const LocalWorld& world, const std::vector<int>& order) {
  std::multiset<std::pair<int, int>> edges;
  const auto place = [&](int node) { return world.search.is_depot(node) ? 0 : node; };
  for (std::size_t p = 0; p < order.size(); ++p) {
    const int a = place(order[p]), b = place(order[p + 1 < order.size() ? p + 1 : 0]);
    edges.insert({std::min(a, b), std::max(a, b)});
  }
  return edges;
}

/// The pairs of a tour whose edges are marked: mark[node] is not 0 when the edge from the node to its successor is
/// fixed. The entries of depots stay empty: the customers know.
void write_fixed_edges(int nodes, int depots, const std::int32_t* order, const std::uint8_t* mark,
                       std::int32_t* partners) {
  for (int i = 0; i < 2 * nodes; ++i) partners[i] = -1;
  const auto add = [&](int node, int other) {
    if (node >= depots) partners[2 * node + (partners[2 * node] < 0 ? 0 : 1)] = other;
  };
  for (int p = 0; p < nodes; ++p) {
    const int node = order[p], successor = order[p + 1 < nodes ? p + 1 : 0];
    if (mark[node] == 0) continue;
    add(node, successor);
    add(successor, node);
  }
}

TEST(LocalSearchProperty, FixedEdgesSurvive) {
  check_property(2000, [] {
    Draws draws = draw_seed();
    LocalWorld world = draw_world(draws);
    const int nodes = world.search.size();
    std::vector<std::uint8_t> mark(nodes);
    for (std::uint8_t& fixed : mark) fixed = draws.below(3) == 0 ? 1 : 0;
    std::vector<std::int32_t> partners(2 * nodes);
    write_fixed_edges(nodes, world.search.depots, world.order.data(), mark.data(), partners.data());
    const std::vector<int> before = world.order;
    world.polish(world.task(draw_rules(draws), partners));
    auto edges = edges_of(world, world.order);
    for (int p = 0; p < nodes; ++p) {
      const int node = before[p], next = before[p + 1 < nodes ? p + 1 : 0];
      if (mark[node] == 0 || (world.search.is_depot(node) && world.search.is_depot(next))) continue;
      const auto pair = edges_of(world, {node, next});
      const auto kept = edges.find(*pair.begin());
      RC_ASSERT(kept != edges.end());
      edges.erase(kept);
    }
  });
}

}  // namespace
}  // namespace neuopt
