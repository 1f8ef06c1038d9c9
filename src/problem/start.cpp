#include "problem/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

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

std::vector<int> index_order(const SearchInstance& instance) {
  const std::span<const float> demand(instance.demand);
  const std::vector<int> route_of = pack_in_order(demand.subspan(static_cast<std::size_t>(instance.depots)));
  std::vector<std::vector<int>> routes;
  for (int customer = 0; customer < instance.customers(); ++customer) {
    routes.resize(static_cast<std::size_t>(route_of[customer]) + 1);
    routes.back().push_back(instance.depots + customer);
  }
  return join_routes(instance, routes);
}

/// The node of `waiting` nearest to `from` whose demand fits, removed from it; -1 when none fits.
int take_nearest(const SearchInstance& instance, std::vector<int>& waiting, int from, float load) {
  auto nearest = waiting.end();
  for (auto it = waiting.begin(); it != waiting.end(); ++it) {
    if (!instance.demand.empty() && load + instance.demand[*it] > kLoadLimit) continue;
    if (nearest == waiting.end() || instance.edge_cost(from, *it) < instance.edge_cost(from, *nearest)) nearest = it;
  }
  if (nearest == waiting.end()) return -1;
  const int node = *nearest;
  waiting.erase(nearest);
  return node;
}

/// Routes of search nodes by nearest neighbour; TSP: one route without node 0.
std::vector<std::vector<int>> nearest_routes(const SearchInstance& instance) {
  const int first = std::max(instance.depots, 1);
  std::vector<int> waiting(static_cast<std::size_t>(instance.size() - first));
  std::iota(waiting.begin(), waiting.end(), first);
  std::vector<std::vector<int>> routes(1);
  int last = 0;
  float load = 0;
  while (!waiting.empty()) {
    const int node = take_nearest(instance, waiting, last, load);
    if (node < 0) {
      routes.emplace_back();
      last = 0;
      load = 0;
      continue;
    }
    routes.back().push_back(node);
    if (!instance.demand.empty()) load += instance.demand[node];
    last = node;
  }
  return routes;
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
  if (visited != instance.customers())
    throw InputError(fmt::format("the initial solution visits {} of {} nodes", visited, instance.customers()));
  return routes;
}

}  // namespace

std::vector<int> greedy_start(const SearchInstance& instance) {
  std::vector<std::vector<int>> routes = nearest_routes(instance);
  if (!traits(instance.kind).depots) {
    routes[0].insert(routes[0].begin(), 0);
    return routes[0];
  }
  if (routes.size() > static_cast<std::size_t>(instance.depots)) return index_order(instance);
  return join_routes(instance, routes);
}

std::vector<int> start_from(const SearchInstance& instance, const Solution& solution) {
  std::vector<std::vector<int>> routes = checked_routes(instance, solution);
  if (traits(instance.kind).depots) return join_routes(instance, routes);
  std::vector<int> order;
  for (const auto& route : routes) order.insert(order.end(), route.begin(), route.end());
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
  return order;
}

Solution to_solution(const SearchInstance& instance, std::span<const int> order) {
  Solution solution;
  bool open_route = false;  // a depot opens a route only once a customer follows: empty routes are left out
  for (const int node : order) {
    if (instance.is_depot(node)) {
      open_route = false;
      continue;
    }
    if (!open_route) solution.routes.emplace_back();
    open_route = true;
    solution.routes.back().push_back(instance.node_of[node]);
  }
  return solution;
}

}  // namespace neuopt
