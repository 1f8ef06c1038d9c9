#include "search/vehicle_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/numbers.h"
#include "local/iterate.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "search/timetable.h"

namespace neuopt::search {
namespace {

constexpr double kMendingKicks = 20'000;
constexpr double kMostUnits = 200'000;  // capacities above are too many cells for the table of sums

class Fleet {
 public:
  Fleet(const Instance& instance, const SearchInstance& view, const Until& until)
      : instance_(instance),
        limit_(instance.capacity + load_tolerance(instance)),
        view_(view),
        go_on_(until),
        search_of_(static_cast<std::size_t>(instance.size), 0) {
    for (int node = view.depots; node < view.size(); ++node)
      search_of_[static_cast<std::size_t>(view.node_of[static_cast<std::size_t>(node)])] = node;
  }

  std::size_t size() const { return routes_.size(); }
  Solution take() { return Solution{std::move(routes_)}; }
  double demand(int node) const { return instance_.demand[static_cast<std::size_t>(node)]; }

  void add(std::vector<int> route) {
    if (route.empty()) return;
    loads_.push_back(
        std::accumulate(route.begin(), route.end(), 0.0, [&](double sum, int n) { return sum + demand(n); }));
    routes_.push_back(std::move(route));
  }

  /// Spreads the customers of the emptiest route over the others; returns whether there was room, and time to find it.
  bool dissolve() {
    const auto emptiest = std::min_element(loads_.begin(), loads_.end()) - loads_.begin();
    std::vector<int> customers = std::move(routes_[static_cast<std::size_t>(emptiest)]);
    routes_.erase(routes_.begin() + emptiest);
    loads_.erase(loads_.begin() + emptiest);
    std::stable_sort(customers.begin(), customers.end(), [&](int a, int b) { return demand(a) > demand(b); });
    return std::all_of(customers.begin(), customers.end(),
                       [&](int node) { return place(node) || change_places(node); });
  }

  /// Adds a route through these customers, each inserted where it costs least; false when there was no time for it.
  bool add_in_good_order(const std::vector<int>& customers) {
    routes_.emplace_back();
    loads_.push_back(0);
    for (const int node : customers) {
      if (!go_on_()) return false;
      insert(node, best_spot(node, routes_.size() - 1));
    }
    return true;
  }

 private:
  struct Spot {
    std::size_t route = 0, place = 0;
    double cost = std::numeric_limits<double>::infinity();
  };

  bool fits(int node, std::size_t route) const { return loads_[route] + demand(node) <= limit_; }

  Spot best_spot(int node, std::size_t route) const {
    const std::vector<int>& stops = routes_[route];
    const std::optional<Timetable> times = timetable(stops);
    const int customer = search_of_[static_cast<std::size_t>(node)];
    Spot best;
    int before = instance_.depot;
    for (std::size_t place = 0; place <= stops.size(); ++place) {
      const int after = place < stops.size() ? stops[place] : instance_.depot;
      const double cost =
          instance_.distance(before, node) + instance_.distance(node, after) - instance_.distance(before, after);
      if (cost < best.cost && (!times || times->in_time_with(customer, place))) best = {route, place, cost};
      before = after;
    }
    return best;
  }

  /// Nothing where there are no times.
  std::optional<Timetable> timetable(const std::vector<int>& route) const {
    if (view_.times.empty()) return std::nullopt;
    std::vector<int> stops;
    for (const int stop : route) stops.push_back(search_of_[static_cast<std::size_t>(stop)]);
    return Timetable(view_, std::move(stops));
  }

  void insert(int node, const Spot& spot) {
    auto& route = routes_[spot.route];
    route.insert(route.begin() + static_cast<std::ptrdiff_t>(spot.place), node);
    loads_[spot.route] += demand(node);
  }

  /// Into the route with room where it costs least, or nowhere.
  bool place(int node, std::size_t but_not = std::numeric_limits<std::size_t>::max()) {
    Spot best;
    for (std::size_t route = 0; route < routes_.size(); ++route) {
      if (route == but_not || !fits(node, route)) continue;
      if (!go_on_()) return false;
      if (const Spot spot = best_spot(node, route); spot.cost < best.cost) best = spot;
    }
    if (!std::isfinite(best.cost)) return false;
    insert(node, best);
    return true;
  }

  /// Into the place of another customer, which finds room elsewhere: a smaller one where demands are all that counts.
  bool change_places(int node) {
    for (std::size_t route = 0; route < routes_.size(); ++route)
      for (std::size_t at = 0; at < routes_[route].size(); ++at) {
        const int other = routes_[route][at];
        if (view_.times.empty() && demand(other) >= demand(node)) continue;
        if (loads_[route] - demand(other) + demand(node) > limit_) continue;
        if (!go_on_()) return false;
        const std::vector<int> before = routes_[route];
        routes_[route].erase(routes_[route].begin() + static_cast<std::ptrdiff_t>(at));
        const Spot spot = best_spot(node, route);
        if (std::isfinite(spot.cost) && place(other, route)) {
          loads_[route] -= demand(other);
          insert(node, spot);
          return true;
        }
        routes_[route] = before;
      }
    return false;
  }

  const Instance& instance_;
  double limit_;
  const SearchInstance& view_;  // knows times
  GoOn go_on_;
  std::vector<int> search_of_;  // search node of each customer
  std::vector<std::vector<int>> routes_;
  std::vector<double> loads_;
};

/// Whole units of the demand of each customer that is left, the largest first: the largest and those others that fill a
/// vehicle best with it, as a table of reachable sums tells. Without the time for it, those that were looked at.
std::vector<int> fullest_load(std::vector<int>& left, const Instance& instance, GoOn& go_on) {
  const auto units = [&](int node) {
    return static_cast<std::size_t>(instance.demand[static_cast<std::size_t>(node)]);
  };
  const std::size_t room = static_cast<std::size_t>(instance.capacity) - units(left[0]);
  std::vector<int> last(room + 1, -1);  // the place in `left` of the customer that first made a sum; 0: the empty sum
  last[0] = 0;
  for (std::size_t i = 1; i < left.size() && last[room] < 0 && go_on(); ++i)  // nothing is better than full
    for (std::size_t sum = room + 1; sum-- > units(left[i]);)
      if (units(left[i]) > 0 && last[sum] < 0 && last[sum - units(left[i])] >= 0) last[sum] = static_cast<int>(i);
  std::size_t sum = room;
  while (last[sum] < 0) --sum;
  std::vector<bool> taken(left.size(), false);
  taken[0] = true;
  for (; sum > 0; sum -= units(left[static_cast<std::size_t>(last[sum])]))
    taken[static_cast<std::size_t>(last[sum])] = true;
  std::vector<int> load, rest;
  for (std::size_t i = 0; i < left.size(); ++i)  // what has no demand goes along with the first
    (taken[i] || units(left[i]) == 0 ? load : rest).push_back(left[i]);
  left = std::move(rest);
  return load;
}

/// Loads of customers, largest demands first, each as full as can be; none where demands are not whole numbers, where
/// there are too few vehicles for them, or where there is no time.
std::vector<std::vector<int>> pack_by_demand(const Instance& instance, const Until& until) {
  if (!is_whole(instance.capacity) || instance.capacity > kMostUnits || !all_whole(instance.demand)) return {};
  std::vector<int> left;
  for (int node = 0; node < instance.size; ++node)
    if (node != instance.depot) left.push_back(node);
  std::stable_sort(left.begin(), left.end(), [&](int a, int b) {
    return instance.demand[static_cast<std::size_t>(a)] > instance.demand[static_cast<std::size_t>(b)];
  });
  std::vector<std::vector<int>> loads;
  for (GoOn go_on(until); !left.empty();) {
    if (!go_on() || loads.size() == static_cast<std::size_t>(instance.vehicles)) return {};
    loads.push_back(fullest_load(left, instance, go_on));
  }
  return loads;
}

/// Routes through the customers packed by their demands alone.
std::optional<Solution> packed(const Instance& instance, const SearchInstance& view, const Until& until) {
  const std::vector<std::vector<int>> loads = pack_by_demand(instance, until);
  if (loads.empty()) return std::nullopt;
  Fleet fleet(instance, view, until);
  for (const auto& load : loads)
    if (!fleet.add_in_good_order(load)) return std::nullopt;
  return fleet.take();
}

/// The smallest routes are joined to the others, in time or not, and local search with kicks mends what is wrong.
std::optional<Solution> mended(const Instance& instance, Solution solution, const Until& until) {
  const auto vehicles = static_cast<std::size_t>(instance.vehicles);
  std::stable_sort(solution.routes.begin(), solution.routes.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (std::size_t i = vehicles; i < solution.routes.size(); ++i) {
    auto& into = solution.routes[i % vehicles];
    into.insert(into.end(), solution.routes[i].begin(), solution.routes[i].end());
  }
  solution.routes.resize(std::min(vehicles, solution.routes.size()));
  const SearchInstance view =
      make_search_instance(instance, {.min_depots = instance.vehicles, .max_depots = instance.vehicles});
  local::IterateOptions options;
  options.share_done = [&](const local::IterateProgress& progress) {
    const bool found = progress.iterations > 0 && std::isfinite(progress.best_cost);
    return found || until.over() ? 1 : static_cast<double>(progress.iterations) / kMendingKicks;
  };
  const local::Neighbours neighbours = local::find_neighbours(view, local::kUsualNeighbours, 1, until);
  if (until.over()) return std::nullopt;
  const local::Iterated found = local::iterate(view, neighbours, start_from(view, solution), options);
  if (!std::isfinite(found.cost)) return std::nullopt;
  return to_solution(view, found.order);
}

/// The solution with its emptiest routes dissolved into the others, until there are few enough.
std::optional<Solution> dissolved(const Instance& instance, const SearchInstance& view, const Solution& solution,
                                  const Until& until) {
  const auto vehicles = static_cast<std::size_t>(instance.vehicles);
  Fleet fleet(instance, view, until);
  for (const auto& route : solution.routes) fleet.add(route);
  while (fleet.size() > vehicles)
    if (!fleet.dissolve()) return std::nullopt;
  return fleet.take();
}

}  // namespace

std::optional<Solution> fit_vehicles(const Instance& instance, const SearchInstance& view, const Solution& solution,
                                     const Until& until) {
  if (std::optional<Solution> fitted = dissolved(instance, view, solution, until)) return fitted;
  if (until.over()) return std::nullopt;
  static_assert(written_for(3));
  return traits(instance.kind).windows ? mended(instance, solution, until) : packed(instance, view, until);
}

}  // namespace neuopt::search
