// Routes with time windows as the search walks them, against a plain simulation of each way to drive.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "env/host_instance.h"
#include "problem/generate.h"
#include "problem/start.h"
#include "support/random_tour.h"

namespace neuopt {
namespace {

using env::Vrptw;

constexpr int kCustomers = 24;

/// A drive as a planner would count it by hand.
struct Simulated {
  std::vector<long> arrival, start;
  std::vector<bool> late;  // the return last
  long warp = 0;

  long late_stops() const { return std::count(late.begin(), late.end(), true); }
};

long travel(const SearchInstance& instance, int from, int to) {
  return static_cast<long>(std::floor(std::hypot(static_cast<double>(instance.x[from]) - instance.x[to],
                                                 static_cast<double>(instance.y[from]) - instance.y[to]) *
                                          instance.ticks.per_cost +
                                      1.5));
}

Simulated drive(const SearchInstance& instance, const std::vector<int>& stops) {
  Simulated result;
  long time = 0;
  int last = 0;
  for (std::size_t i = 0; i <= stops.size(); ++i) {
    const int node = i < stops.size() ? stops[i] : 0;
    const StopTimes& times = instance.times[node];
    const long arrival = time + travel(instance, last, node);
    result.arrival.push_back(arrival);
    result.late.push_back(arrival > times.closes);
    result.warp += std::max(0L, arrival - times.closes);
    result.start.push_back(std::clamp<long>(arrival, times.opens, times.closes));
    time = result.start.back() + times.service;
    last = node;
  }
  return result;
}

struct Walked {
  SearchInstance instance;
  std::vector<int> order;
  std::vector<Vrptw::Route> routes;
  float violation;
};

Walked walk(const Instance& drawn, const std::vector<int>& order) {
  Walked world{make_search_instance(drawn), order, {}, 0};
  const std::vector<std::byte> nodes = env::node_table(world.instance);
  const env::InstanceView view = env::view_of(world.instance, nodes, {});
  std::vector<int> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[world.order[p]] = static_cast<int>(p);
  world.routes.resize(order.size());
  world.violation = Vrptw::walk(SerialLanes{}, view, {world.instance.size(), world.order.data(), position.data()},
                                world.routes.data());
  return world;
}

/// The customers after each depot, with that depot.
std::vector<std::pair<int, std::vector<int>>> routes_of(const Walked& world) {
  std::vector<std::pair<int, std::vector<int>>> routes;
  for (const int node : world.order) {
    if (world.instance.is_depot(node))
      routes.push_back({node, {}});
    else
      routes.back().second.push_back(node);
  }
  return routes;
}

Walked random_walk(std::uint32_t number) {
  const Instance drawn = generate_uniform(ProblemKind::vrptw, kCustomers, 5, number);
  test::Draws draws(number);
  return walk(drawn, test::random_tour(make_search_instance(drawn).size(), draws).order);
}

TEST(Vrptw, DrivesEachRouteTheBetterWay) {
  int turned = 0;
  for (std::uint32_t number = 0; number < 200; ++number) {
    const Walked world = random_walk(number);
    for (auto& [depot, stops] : routes_of(world)) {
      if (stops.empty()) continue;
      std::vector<int> back(stops.rbegin(), stops.rend());
      const Simulated along = drive(world.instance, stops), against = drive(world.instance, back);
      const bool better = against.late_stops() != along.late_stops() ? against.late_stops() < along.late_stops()
                                                                     : against.warp < along.warp;
      turned += better;
      const Simulated& driven = better ? against : along;
      const std::vector<int>& visited = better ? back : stops;
      EXPECT_EQ(world.routes[depot].backwards, better);
      EXPECT_EQ(world.routes[depot].arrival, driven.arrival.back());
      EXPECT_EQ(world.routes[depot].returns_late, driven.late.back());
      for (std::size_t i = 0; i < visited.size(); ++i) {
        const Vrptw::Route& route = world.routes[visited[i]];
        EXPECT_EQ(route.arrival, driven.arrival[i]);
        EXPECT_EQ(route.late, driven.late[i]);
        EXPECT_EQ(route.backwards, better);
        EXPECT_EQ(route.returns_late, driven.late.back());
      }
    }
  }
  EXPECT_GT(turned, 100);  // both ways come up
}

TEST(Vrptw, CountsLateAndOverloadedNodesOnce) {
  int both = 0;
  for (std::uint32_t number = 0; number < 200; ++number) {
    const Walked world = random_walk(number);
    int wrong = 0;
    for (auto& [depot, stops] : routes_of(world)) {
      float load = 0;
      for (const int node : stops) {
        load += world.instance.demand[node];
        const bool over = load > kLoadLimit, late = world.routes[node].late;
        wrong += over || late;
        both += over && late;
      }
      wrong += !stops.empty() && world.routes[depot].returns_late;
    }
    EXPECT_EQ(world.violation, static_cast<float>(wrong));
  }
  EXPECT_GT(both, 0);
}

/// Time warp of a stop and all after it when its service begins so much later.
long warp_after(const SearchInstance& instance, const std::vector<int>& stops, std::size_t from, long start) {
  long warp = std::max(0L, start - instance.times[stops[from]].closes);
  long time = start - warp + instance.times[stops[from]].service;
  for (std::size_t i = from + 1; i <= stops.size(); ++i) {
    const int node = i < stops.size() ? stops[i] : 0;
    const StopTimes& times = instance.times[node];
    time += travel(instance, stops[i - 1], node);
    warp += std::max(0L, time - times.closes);
    time = std::clamp<long>(time, times.opens, times.closes) + times.service;
  }
  return warp;
}

/// Service delayed by the slack makes nothing later than it must be; by one tick more it does.
TEST(Vrptw, SlackIsTheMostThatServiceMayWait) {
  int positive = 0;
  for (std::uint32_t number = 0; number < 100; ++number) {
    const Walked world = random_walk(number);
    for (auto& [depot, stops] : routes_of(world)) {
      if (world.routes[depot].backwards) std::reverse(stops.begin(), stops.end());
      const Simulated driven = drive(world.instance, stops);
      for (std::size_t i = 0; i < stops.size(); ++i) {
        const long slack = world.routes[stops[i]].slack, start = driven.start[i];
        const long warp = warp_after(world.instance, stops, i, start);
        ASSERT_GE(slack, 0);
        EXPECT_EQ(warp_after(world.instance, stops, i, start + slack), warp);
        EXPECT_GT(warp_after(world.instance, stops, i, start + slack + 1), warp);
        positive += slack > 0;
      }
    }
  }
  EXPECT_GT(positive, 100);
}

TEST(Vrptw, TheStartIsFeasibleAndLeavesARouteEmpty) {
  for (std::uint32_t number = 0; number < 50; ++number) {
    const Instance drawn = generate_uniform(ProblemKind::vrptw, 50, 6, number);
    const SearchInstance instance = make_search_instance(drawn);
    const Walked world = walk(drawn, env::standard_start(instance, Random{1}, number, 0));
    EXPECT_EQ(world.violation, 0);
    EXPECT_TRUE(routes_of(world).back().second.empty());
    EXPECT_GE(world.instance.depots, 20);
  }
}

/// Shares of random exchanges from the start that stay feasible: when routes are driven the better way, and when they
/// are driven along the tour.
struct Kept {
  double better = 0, along = 0;
};

Kept kept_by_exchanges(int edges) {
  constexpr std::uint32_t kInstances = 5;
  constexpr int kTries = 2000;
  Kept kept;
  test::Draws draws(static_cast<std::uint64_t>(edges));
  for (std::uint32_t number = 0; number < kInstances; ++number) {
    const Instance drawn = generate_uniform(ProblemKind::vrptw, 50, 1, number);
    const SearchInstance search = make_search_instance(drawn);
    const std::vector<int> start = env::standard_start(search, Random{1}, number, 0);
    std::vector<int> cuts, scratch(start.size());
    for (int tried = 0; tried < kTries;) {
      test::Tour tour(start);
      const kopt::Action action =
          test::make_action(tour.view(), test::random_choices(search.size(), edges, draws), cuts);
      int added = 0;
      kopt::for_each_changed_edge(tour.view(), action, [&](int, int, int sign) { added += sign > 0; });
      if (added != edges) continue;
      ++tried;
      kopt::apply_exchange(SerialLanes{}, tour.view(), action, scratch.data());
      const Walked world = walk(drawn, tour.order);
      if (world.violation > 0) continue;
      const auto backwards = [](const Vrptw::Route& route) { return route.backwards; };
      kept.better += 1.0 / (kTries * kInstances);
      if (std::none_of(world.routes.begin(), world.routes.end(), backwards)) kept.along += 1.0 / (kTries * kInstances);
    }
  }
  return kept;
}

TEST(Vrptw, TheBetterWayKeepsMoreExchangesFeasible) {
  for (const int edges : {2, 3}) {
    const Kept kept = kept_by_exchanges(edges);
    std::printf("%d edges: %.2f %% of the exchanges stay feasible, along the tour %.2f %%\n", edges, 100 * kept.better,
                100 * kept.along);
    EXPECT_GT(kept.better, 0.1);
    EXPECT_LT(kept.along, 0.1 * kept.better);
  }
}

TEST(Vrptw, AnswersAreWrittenAsTheyAreDriven) {
  const Walked world = random_walk(3);
  const Solution solution = to_solution(world.instance, world.order);
  std::size_t next = 0;
  for (auto& [depot, stops] : routes_of(world)) {
    if (stops.empty()) continue;
    if (world.routes[depot].backwards) std::reverse(stops.begin(), stops.end());
    for (int& node : stops) node = world.instance.node_of[node];
    EXPECT_EQ(solution.routes.at(next++), stops);
  }
}

}  // namespace
}  // namespace neuopt
