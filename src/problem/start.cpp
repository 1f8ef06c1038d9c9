#include "problem/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "problem/packing.h"

namespace neuopt {
namespace {

/// Puts a depot in front of each route and the unused depots at the end. Routes hold search nodes.
std::vector<int> join_routes(const SearchInstance& instance, const std::vector<std::vector<int>>& routes) {
  std::vector<int> order;
  order.reserve(static_cast<std::size_t>(instance.size()));
  int depot = 0;
  for (const auto& route : routes) {
    if (route.empty()) continue;
    if (depot == instance.depots)
      throw InputError(fmt::format("the solution has more than {} routes, the dummy depots of the search", depot));
    order.push_back(depot++);
    order.insert(order.end(), route.begin(), route.end());
  }
  while (depot < instance.depots) order.push_back(depot++);
  return order;
}

/// Search node of each node of the Instance; -1 for the depot.
std::vector<int> search_nodes(const SearchInstance& instance) {
  std::vector<int> search_of(static_cast<std::size_t>(instance.nodes), -1);
  for (int node = instance.depots; node < instance.size(); ++node) search_of[instance.node_of[node]] = node;
  return search_of;
}

/// The solution's routes over search nodes. Throws unless every customer is visited once.
std::vector<std::vector<int>> checked_routes(const SearchInstance& instance, const Solution& solution) {
  const std::vector<int> search_of = search_nodes(instance);
  std::vector<bool> seen(search_of.size(), false);
  std::vector<std::vector<int>> routes;
  int visited = 0;
  for (const auto& route : solution.routes) {
    routes.emplace_back();
    for (const int node : route) {
      if (node < 0 || node >= instance.nodes || search_of[node] < 0)
        throw InputError(fmt::format("the initial solution visits node index {}, which is no customer", node));
      if (seen[node]) throw InputError(fmt::format("the initial solution visits node index {} twice", node));
      seen[node] = true;
      ++visited;
      routes.back().push_back(search_of[node]);
    }
  }
  if (instance.depots == 0 && solution.routes_in_use() > 1)
    throw InputError(fmt::format("the initial solution has {} routes, expected one tour", solution.routes_in_use()));
  if (visited != instance.customers())
    throw InputError(fmt::format("the initial solution visits {} of {} nodes", visited, instance.customers()));
  return routes;
}

void turn_to_node_0(std::vector<int>& order) {
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
}

void check_fixed_edges(const SearchInstance& instance, const std::vector<int>& order) {
  if (instance.fixed.empty()) return;
  std::vector<int> before(order.size()), after(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) {
    const int node = order[p], next = order[p + 1 < order.size() ? p + 1 : 0];
    after[node] = next;
    before[next] = node;
  }
  for (int i = 0; i < static_cast<int>(instance.fixed.size()); ++i) {
    const int node = i / 2, other = instance.fixed[i];
    if (other >= 0 && after[node] != other && before[node] != other)
      throw InputError(
          fmt::format("the initial solution lacks the fixed edge of nodes {} and {}", node + 1, other + 1));
  }
}

/// A vehicle that drives along a route of search nodes.
RouteClock time_route(const SearchInstance& instance, std::span<const int> route) {
  RouteClock clock;
  int last = 0;  // any depot
  const auto drive_to = [&](int node) {
    clock.visit(instance.travel_time(last, node), instance.times[node]);
    last = node;
  };
  for (const int node : route) drive_to(node);
  drive_to(0);
  return clock;
}

/// Turns a route round where that is the better way to drive it. Without time windows both ways are one.
void turn_as_driven(const SearchInstance& instance, std::vector<int>& route) {
  if (instance.times.empty()) return;
  const RouteClock along = time_route(instance, route);
  std::reverse(route.begin(), route.end());
  if (!better_drive(time_route(instance, route), along)) std::reverse(route.begin(), route.end());
}

}  // namespace

std::vector<int> start_from(const SearchInstance& instance, const Solution& solution) {
  std::vector<std::vector<int>> routes = checked_routes(instance, solution);
  if (traits(instance.kind).depots) return join_routes(instance, routes);
  std::vector<int> order;
  for (const auto& route : routes) order.insert(order.end(), route.begin(), route.end());
  turn_to_node_0(order);
  check_fixed_edges(instance, order);
  return order;
}

std::vector<int> with_fixed_edges(const SearchInstance& instance, std::vector<int> order) {
  if (instance.fixed.empty()) return order;
  // Visits a node and those that its chain has after it, from end to end if it is one; returns the last.
  const auto walk = [&](int node, auto&& visit) {
    for (int last = -1;;) {
      visit(node);
      const int first = instance.fixed[2 * node], second = instance.fixed[2 * node + 1];
      const int next = first != last ? first : second;
      if (next < 0) return node;
      last = std::exchange(node, next);
    }
  };
  std::vector<bool> seen(order.size(), false);
  std::vector<int> chained;
  chained.reserve(order.size());
  for (const int node : order) {
    if (seen[node]) continue;
    const bool inner = instance.fixed[2 * node + 1] >= 0;
    walk(inner ? walk(node, [](int) {}) : node, [&](int visited) {
      seen[visited] = true;
      chained.push_back(visited);
    });
  }
  turn_to_node_0(chained);
  return chained;
}

bool in_time(const SearchInstance& instance, std::span<const int> route) {
  if (route.empty() || time_route(instance, route).late == 0) return true;
  const std::vector<int> turned(route.rbegin(), route.rend());
  return time_route(instance, turned).late == 0;
}

std::vector<std::vector<int>> cut_to_fit(const SearchInstance& instance, std::span<const int> customers) {
  const auto drive = [&](RouteClock clock, int from, int to) {
    if (!instance.times.empty()) clock.visit(instance.travel_time(from, to), instance.times[to]);
    return clock;
  };
  std::vector<std::vector<int>> routes;
  float load = 0;
  RouteClock clock;
  for (const int node : customers) {
    const float demand = instance.demand.empty() ? 0 : instance.demand[node];
    RouteClock there = routes.empty() ? RouteClock{} : drive(clock, routes.back().back(), node);
    if (routes.empty() || exceeds_capacity(load + demand) || drive(there, node, 0).late > 0) {
      routes.emplace_back();
      load = 0;
      there = drive({}, 0, node);
    }
    clock = there;
    load += demand;
    routes.back().push_back(node);
  }
  return routes;
}

Solution solution_of(const SearchInstance& instance, std::vector<std::vector<int>> routes) {
  for (std::vector<int>& route : routes)
    for (int& node : route) node = instance.node_of[static_cast<std::size_t>(node)];
  return {std::move(routes)};
}

Solution to_solution(const SearchInstance& instance, std::span<const int> order) {
  std::vector<std::vector<int>> routes(1);
  for (const int node : order) {
    if (!instance.is_depot(node))
      routes.back().push_back(node);
    else if (!routes.back().empty())  // empty routes are left out
      routes.emplace_back();
  }
  if (routes.back().empty()) routes.pop_back();
  for (std::vector<int>& route : routes) turn_as_driven(instance, route);
  return solution_of(instance, std::move(routes));
}

}  // namespace neuopt
