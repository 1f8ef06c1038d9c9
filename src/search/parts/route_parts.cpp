#include "search/parts/route_parts.h"

#include <algorithm>
#include <utility>

namespace neuopt::search {
namespace {

/// Places of a route that stay in a part: inside, and with a free edge at one side.
std::vector<std::size_t> kept_of(const Route& route, const std::vector<std::uint8_t>& inside) {
  const auto is_inside = [&](std::size_t place) { return inside[static_cast<std::size_t>(route[place])] != 0; };
  std::vector<std::size_t> kept;
  for (std::size_t place = 0; place < route.size(); ++place) {
    if (!is_inside(place)) continue;
    const bool free_before = place == 0 || is_inside(place - 1);
    const bool free_after = place + 1 == route.size() || is_inside(place + 1);
    if (free_before || free_after) kept.push_back(place);
  }
  return kept;
}

/// Its demand goes to its ends, half to each where there are two.
void add_chain(const SearchInstance& whole, Chain chain, PartPlan& plan) {
  double demand = 0;
  for (const int node : chain.inner) demand += whole.demand[static_cast<std::size_t>(node)];
  const int ends = (chain.from >= 0 ? 1 : 0) + (chain.to >= 0 ? 1 : 0);
  for (const int end : {chain.from, chain.to})
    if (end >= 0) plan.extra_demand[static_cast<std::size_t>(end)] += static_cast<float>(demand / ends);
  if (ends > 0) plan.fixed.emplace_back(chain.from, chain.to);
  plan.chains.push_back(std::move(chain));
}

void add_route(const SearchInstance& whole, const Route& route, const std::vector<std::uint8_t>& inside,
               PartPlan& plan) {
  const std::vector<std::size_t> kept = kept_of(route, inside);
  const int begin = static_cast<int>(plan.customers.size());
  if (!kept.empty()) plan.route_begins.push_back(begin);
  for (const std::size_t place : kept) plan.customers.push_back(route[place]);
  plan.extra_demand.resize(plan.customers.size(), 0.0f);
  std::size_t from = 0;  // where the path since the last customer begins
  for (std::size_t i = 0; i <= kept.size(); ++i) {
    const std::size_t to = i < kept.size() ? kept[i] : route.size();
    const int place = begin + static_cast<int>(i);
    if (to > from)
      add_chain(whole,
                {.from = i > 0 ? place - 1 : -1,
                 .to = i < kept.size() ? place : -1,
                 .inner = {route.begin() + static_cast<std::ptrdiff_t>(from),
                           route.begin() + static_cast<std::ptrdiff_t>(to)}},
                plan);
    from = to + 1;
  }
}

/// The chains of a part by their ends, each to be used once.
class Chains {
 public:
  explicit Chains(const Part& part) : chains_(part.chains), at_(part.customers.size()), used_(part.chains.size(), 0) {
    for (std::size_t i = 0; i < chains_.size(); ++i)
      for (const int end : {chains_[i].from, chains_[i].to})
        if (end >= 0) at_[static_cast<std::size_t>(end)].push_back(i);
  }

  /// Adds the chain from one customer of the part, or the depot (-1), to another to a route, if there is one.
  void cross(int from, int to, Route& route) {
    for (const std::size_t i : at_[static_cast<std::size_t>(from >= 0 ? from : to)]) {
      const Chain& chain = chains_[i];
      const bool along = chain.from == from && chain.to == to, against = chain.from == to && chain.to == from;
      if (used_[i] != 0 || !(along || against)) continue;
      used_[i] = 1;
      if (along)
        route.insert(route.end(), chain.inner.begin(), chain.inner.end());
      else
        route.insert(route.end(), chain.inner.rbegin(), chain.inner.rend());
      return;
    }
  }

 private:
  const std::vector<Chain>& chains_;
  std::vector<std::vector<std::size_t>> at_;
  std::vector<std::uint8_t> used_;
};

}  // namespace

PartPlan plan_routes(const SearchInstance& whole, std::span<const Route> all_routes, std::vector<int> which,
                     const std::vector<std::uint8_t>& inside) {
  PartPlan plan;
  for (const int route : which) add_route(whole, all_routes[static_cast<std::size_t>(route)], inside, plan);
  plan.routes = std::move(which);
  return plan;
}

std::vector<Route> routes_of(const Part& part, std::span<const int> tour) {
  std::vector<Route> routes;
  for (const Chain& chain : part.chains)
    if (chain.from < 0 && chain.to < 0) routes.push_back(chain.inner);
  Chains chains(part);
  Route route;
  int last = -1;
  const auto finish = [&] {
    if (last < 0) return;
    chains.cross(last, -1, route);
    routes.push_back(std::exchange(route, {}));
    last = -1;
  };
  for (const int node : tour) {
    if (part.view.is_depot(node)) {
      finish();
      continue;
    }
    const int place = node - part.view.depots;
    chains.cross(last, place, route);
    route.push_back(part.customers[static_cast<std::size_t>(place)]);
    last = place;
  }
  finish();
  return routes;
}

}  // namespace neuopt::search
