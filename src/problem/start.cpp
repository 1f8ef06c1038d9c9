#include "problem/start.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

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
  if (visited != instance.customers())
    throw InputError(fmt::format("the initial solution visits {} of {} nodes", visited, instance.customers()));
  return routes;
}

}  // namespace

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
