// Groups of routes that lie together. Where routes are short, a group has whole routes. Where they are long, it has the
// customers nearest to one of them; the paths of their routes outside are fixed edges, whose demand lies on their ends.
// With time windows routes are always whole: what a path asks of the time at its ends is more than a node can say. So
// there are no groups where most customers are on routes that are too long for one.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "local/route_search.h"
#include "problem/start.h"
#include "search/parts/nearest_walk.h"
#include "search/parts/route_parts.h"
#include "search/parts/whole_kinds.h"
#include "search/parts/whole_local_search.h"

namespace neuopt::search {
namespace {

constexpr int kGroupNodes = 120;        // search nodes of a group, dummy depots included
constexpr int kSpareDepots = 2;         // beyond one for each route
constexpr double kLongRoute = 30;       // customers: above, routes are taken in parts
constexpr int kMostRoutesInParts = 12;  // of a group of parts
constexpr std::size_t kNearStep = 8;    // customers by which such a group grows

/// Where a route lies, in place and in time.
struct Centre {
  double x = 0, y = 0;
  double time = 0;   // the middle of its windows, as a share of the day
  double angle = 0;  // seen from the depot
};

class RouteWhole : public Whole {
 public:
  RouteWhole(const SearchInstance& whole, const local::Neighbours& neighbours, std::span<const int> order)
      : whole_(whole), neighbours_(neighbours) {
    set_order(order);
  }

  std::vector<PartPlan> cut(int most, local::KickDraws& draws) const override {
    const bool too_long = mostly_too_long(), in_parts = whole_.times.empty() && (too_long || long_on_average());
    if (too_long && !in_parts) return {};
    Cutting cutting(*this);
    std::vector<PartPlan> plans;
    for (int tries = 0; tries < 3 * most && static_cast<int>(plans.size()) < most; ++tries) {
      const int seed = whole_.depots + draws.below(whole_.customers());
      const int way = draws.below(3);
      if (cutting.taken_route[route_index(seed)] != 0) continue;
      std::optional<PartPlan> plan = in_parts ? cut_near(seed, cutting) : cut_routes(seed, way, cutting);
      if (plan) plans.push_back(std::move(*plan));
    }
    return plans;
  }

  std::optional<double> put_back(const Part& part, std::span<const int> tour, double allowed) override {
    const std::vector<Route> routes = routes_of(part, tour);
    double delta = 0;
    for (const Route& route : routes) {
      if (!fits(route)) return std::nullopt;
      delta += cost(route);
    }
    for (const int index : part.routes) delta -= cost(routes_[static_cast<std::size_t>(index)]);
    if (!(delta < allowed) || !room_for(part.routes.size(), routes.size())) return std::nullopt;
    // Routes keep their places: other parts of the same cut point to theirs.
    for (std::size_t i = 0; i < std::max(part.routes.size(), routes.size()); ++i) {
      if (i >= part.routes.size()) routes_.emplace_back();
      Route& place = i < part.routes.size() ? routes_[static_cast<std::size_t>(part.routes[i])] : routes_.back();
      place = i < routes.size() ? routes[i] : Route{};
      touched_.insert(touched_.end(), place.begin(), place.end());
    }
    return delta;
  }

  void improve(const Until& until) override {
    std::vector<int> changed = order();
    env::for_problem(whole_.kind, [&](auto problem) {
      if constexpr (problem.traits.depots)
        improve_around<decltype(problem)>(whole_, neighbours_, changed, touched_, until);
    });
    set_order(changed);
    touched_.clear();
  }

  std::vector<int> order() const override {
    std::vector<int> order;
    int depot = 0;
    for (const Route& route : routes_) {
      if (route.empty()) continue;
      order.push_back(depot++);
      order.insert(order.end(), route.begin(), route.end());
    }
    while (depot < whole_.depots) order.push_back(depot++);
    return order;
  }

 private:
  void set_order(std::span<const int> order) {
    routes_.clear();
    route_of_.assign(static_cast<std::size_t>(whole_.size()), -1);
    for (const int node : order) {
      if (whole_.is_depot(node)) {
        if (routes_.empty() || !routes_.back().empty()) routes_.emplace_back();
        continue;
      }
      routes_.back().push_back(node);
      route_of_[static_cast<std::size_t>(node)] = static_cast<int>(routes_.size()) - 1;
    }
    if (!routes_.empty() && routes_.back().empty()) routes_.pop_back();
    centres_.clear();
    for (const Route& route : routes_) centres_.push_back(centre_of(route));
  }

  /// What the parts of one cut have taken.
  struct Cutting {
    explicit Cutting(const RouteWhole& whole)
        : taken_route(whole.routes_.size(), 0),
          taken(static_cast<std::size_t>(whole.whole_.size()), 0),
          walk(whole.whole_, whole.neighbours_, taken) {}
    std::vector<std::uint8_t> taken_route, taken;
    NearestWalk walk;

    void take(const RouteWhole& whole, int route) {
      taken_route[static_cast<std::size_t>(route)] = 1;
      for (const int node : whole.routes_[static_cast<std::size_t>(route)]) taken[static_cast<std::size_t>(node)] = 1;
    }
  };

  int customers_of(int route) const { return static_cast<int>(routes_[static_cast<std::size_t>(route)].size()); }
  std::size_t route_index(int customer) const {
    return static_cast<std::size_t>(route_of_[static_cast<std::size_t>(customer)]);
  }
  bool long_on_average() const { return static_cast<double>(whole_.customers()) / routes_.size() > kLongRoute; }
  /// Whether most customers are on routes that no group has room for.
  bool mostly_too_long() const {
    std::size_t customers = 0;
    for (const Route& route : routes_)
      if (kSpareDepots + 1 + static_cast<int>(route.size()) > kGroupNodes) customers += route.size();
    return 2 * customers > static_cast<std::size_t>(whole_.customers());
  }
  /// Of every part, however many routes there are at the time.
  int nodes() const { return std::min(kGroupNodes, whole_.customers() + kSpareDepots + whole_.depots); }

  Centre centre_of(const Route& route) const {
    Centre centre;
    for (const int node : route) {
      centre.x += whole_.x[static_cast<std::size_t>(node)];
      centre.y += whole_.y[static_cast<std::size_t>(node)];
    }
    centre.x /= static_cast<double>(route.size());
    centre.y /= static_cast<double>(route.size());
    if (!whole_.times.empty()) {
      for (const int node : route) {
        const StopTimes& times = whole_.times[static_cast<std::size_t>(node)];
        centre.time += 0.5 * (static_cast<double>(times.opens) + times.closes);
      }
      centre.time /= static_cast<double>(route.size()) * std::max(1, whole_.times[0].closes);
    }
    centre.angle = std::atan2(centre.y - whole_.y[0], centre.x - whole_.x[0]);
    return centre;
  }

  /// Whole routes: those around a customer, or those whose centres lie near that of its route, or in its direction.
  std::optional<PartPlan> cut_routes(int seed, int way, Cutting& cutting) const {
    std::vector<int> group;
    int used = kSpareDepots;
    const auto add = [&](int route) {
      if (cutting.taken_route[static_cast<std::size_t>(route)] != 0 || used + customers_of(route) + 1 > kGroupNodes)
        return false;
      used += customers_of(route) + 1;
      group.push_back(route);
      cutting.taken_route[static_cast<std::size_t>(route)] = 1;
      return true;
    };
    if (way == 0) {
      cutting.walk.begin({seed});
      int misses = 0;
      for (int node = cutting.walk.next(); node >= 0 && misses < kGroupNodes; node = cutting.walk.next())
        if (!add(static_cast<int>(route_index(node)))) ++misses;
    } else {
      for (const int route : routes_from(static_cast<int>(route_index(seed)), way == 1)) add(route);
    }
    if (group.empty()) return std::nullopt;
    for (const int route : group) cutting.take(*this, route);
    PartPlan plan = plan_routes(whole_, routes_, group, cutting.taken);
    plan.nodes = nodes();
    return plan;
  }

  /// The routes that are nearest to one of them, as many as could ever fit.
  std::vector<int> routes_from(int first, bool by_place) const {
    const Centre& from = centres_[static_cast<std::size_t>(first)];
    std::vector<std::pair<double, int>> ranked;
    for (int route = 0; route < static_cast<int>(routes_.size()); ++route) {
      const Centre& centre = centres_[static_cast<std::size_t>(route)];
      const double turn = std::abs(centre.angle - from.angle);
      ranked.emplace_back(by_place ? std::hypot(centre.x - from.x, centre.y - from.y, centre.time - from.time)
                                   : std::min(turn, 2 * std::numbers::pi - turn),
                          route);
    }
    const std::size_t most = std::min<std::size_t>(ranked.size(), kGroupNodes);
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(most), ranked.end());
    std::vector<int> routes;
    for (std::size_t i = 0; i < most; ++i) routes.push_back(ranked[i].second);
    return routes;
  }

  /// Parts of long routes: as many of the customers nearest to one of them as there is room for.
  std::optional<PartPlan> cut_near(int seed, Cutting& cutting) const {
    std::vector<int> group, near;
    cutting.walk.begin({seed});
    for (int node = cutting.walk.next(); node >= 0 && static_cast<int>(near.size()) < 2 * kGroupNodes;
         node = cutting.walk.next()) {
      const int route = static_cast<int>(route_index(node));
      const bool new_route = std::find(group.begin(), group.end(), route) == group.end();
      if (new_route && static_cast<int>(group.size()) == kMostRoutesInParts) continue;
      if (new_route) group.push_back(route);
      near.push_back(node);
    }
    std::optional<PartPlan> best;
    std::vector<std::uint8_t> inside(static_cast<std::size_t>(whole_.size()), 0);
    std::size_t count = 0;
    for (bool room = true; room && count < near.size();) {
      for (const std::size_t end = std::min(near.size(), count + kNearStep); count < end; ++count)
        inside[static_cast<std::size_t>(near[count])] = 1;
      PartPlan plan = plan_routes(whole_, routes_, group, inside);
      room = static_cast<int>(plan.customers.size() + plan.route_begins.size()) <= nodes() - kSpareDepots;
      if (room) best = std::move(plan);
    }
    if (!best || best->customers.size() < kNearStep) return std::nullopt;
    best->nodes = nodes();
    for (const int route : group) cutting.take(*this, route);
    return best;
  }

  double cost(const Route& route) const {
    if (route.empty()) return 0;
    double sum = static_cast<double>(whole_.edge_cost(0, route.front())) + whole_.edge_cost(route.back(), 0);
    for (std::size_t i = 1; i < route.size(); ++i) sum += whole_.edge_cost(route[i - 1], route[i]);
    return sum;
  }

  /// As the local search and the search count loads and times.
  bool fits(const Route& route) const {
    static_assert(written_for(3));
    double load = 0;
    for (const int node : route) load += whole_.demand[static_cast<std::size_t>(node)];
    return !(load > kLoadLimit) && (whole_.times.empty() || in_time(whole_, route));
  }

  bool room_for(std::size_t before, std::size_t after) const {
    if (after <= before) return true;
    std::size_t in_use = 0;
    for (const Route& route : routes_) in_use += route.empty() ? 0 : 1;
    return in_use + after - before <= static_cast<std::size_t>(whole_.depots);
  }

  const SearchInstance& whole_;
  const local::Neighbours& neighbours_;
  std::vector<Route> routes_;    // customers; some may be empty after parts were put back
  std::vector<int> route_of_;    // of each node, as of the last set_order
  std::vector<Centre> centres_;  // likewise
  std::vector<int> touched_;     // customers of routes that are new since the last local search
};

}  // namespace

std::unique_ptr<Whole> make_route_whole(const SearchInstance& whole, const local::Neighbours& neighbours,
                                        std::span<const int> order) {
  return std::make_unique<RouteWhole>(whole, neighbours, order);
}

}  // namespace neuopt::search
