#include "problem/opening_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "problem/generate.h"
#include "problem/normalize.h"

namespace neuopt {
namespace {

/// A view of an instance as starts ask it, which counts the distances.
struct CountingStops {
  const SearchInstance& view;
  mutable long distances = 0;

  const StopTimes& times(int node) const { return view.times[static_cast<std::size_t>(node)]; }
  float demand(int node) const { return view.demand[static_cast<std::size_t>(node)]; }
  std::int32_t travel(int from, int to) const {
    ++distances;
    return view.travel_time(from, to);
  }
};

struct Route {
  RouteClock clock;
  float load = 0;
  std::vector<int> nodes;  // the depot first
};

/// The definition: customer by customer, each at the end of the first route where it fits, or of the last one.
std::vector<int> first_fit(const CountingStops& stops) {
  const SearchInstance& view = stops.view;
  std::vector<int> customers(static_cast<std::size_t>(view.customers()));
  std::iota(customers.begin(), customers.end(), view.depots);
  std::stable_sort(customers.begin(), customers.end(),
                   [&](int a, int b) { return view.times[a].opens < view.times[b].opens; });
  std::vector<Route> routes(static_cast<std::size_t>(view.depots));
  for (int depot = 0; depot < view.depots; ++depot) routes[static_cast<std::size_t>(depot)].nodes = {depot};
  for (const int node : customers)
    for (Route& route : routes) {
      RouteClock there = route.clock;
      there.visit(stops.travel(route.nodes.back(), node), view.times[node]);
      RouteClock home = there;
      home.visit(stops.travel(node, 0), view.times[0]);
      const float load = route.load + view.demand[node];
      if (&route != &routes.back() && (home.late > 0 || load > kLoadLimit)) continue;
      route.clock = there;
      route.load = load;
      route.nodes.push_back(node);
      break;
    }
  std::vector<int> order;
  for (const Route& route : routes) order.insert(order.end(), route.nodes.begin(), route.nodes.end());
  return order;
}

/// As a file would round it: other distances than those of the unit square.
Instance drawn(int customers, std::uint64_t number, bool rounded) {
  Instance instance = generate_uniform(ProblemKind::vrptw, customers, 8, number);
  if (!rounded) return instance;
  instance.metric = Metric::euc_2d;
  for (Point& point : instance.coordinates) point = {1e3 * point.x, 1e3 * point.y};
  for (TimeWindow& window : instance.windows) window = {1e3 * window.opens, 1e3 * window.closes + 3};
  for (double& service : instance.service) service *= 1e3;
  return instance;
}

TEST(OpeningOrder, IsFirstFitAndAsksFewDistances) {
  for (const int customers : {1, 30, 400})
    for (const int most_depots : {0, 3})  // too few: the last route takes whoever is left
      for (std::uint64_t number = 0; number < 10; ++number) {
        const Instance instance = drawn(customers, number, number % 2 == 0);
        const SearchInstance view = make_search_instance(instance, {.max_depots = most_depots});
        const CountingStops stops{view}, by_definition{view};
        std::vector<int> order(static_cast<std::size_t>(view.size())), waiting(order.size());
        fill_by_opening(stops, view.depots, view.customers(), order.data(), waiting.data());
        EXPECT_EQ(order, first_fit(by_definition)) << customers << " " << number;
        if (customers < 400 || most_depots > 0) continue;
        EXPECT_LT(2 * stops.distances, by_definition.distances) << "load and clock tell for most customers";
      }
}

TEST(OpeningOrder, IsLeftUnfinishedWhenItMayNotGoOn) {
  const Instance instance = drawn(100, 0, false);
  const SearchInstance view = make_search_instance(instance);
  const CountingStops stops{view};
  std::vector<int> order(static_cast<std::size_t>(view.size()), -1), waiting(order.size());
  EXPECT_EQ(fill_by_opening(stops, view.depots, view.customers(), order.data(), waiting.data(), [] { return false; }),
            -1);
  EXPECT_EQ(stops.distances, 0);
  int asked = 0;
  const auto three_routes = [&] { return ++asked <= 3; };
  EXPECT_EQ(fill_by_opening(stops, view.depots, view.customers(), order.data(), waiting.data(), three_routes), -1);
  EXPECT_EQ(std::count_if(order.begin(), order.end(), [&](int node) { return node >= 0 && view.is_depot(node); }), 3);
}

}  // namespace
}  // namespace neuopt
