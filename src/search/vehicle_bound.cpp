#include "search/vehicle_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace neuopt::search {
namespace {

constexpr double kMostUnits = 200'000;  // capacities above are too many cells for the table of sums

class Fleet {
 public:
  explicit Fleet(const Instance& instance)
      : instance_(instance), limit_(instance.capacity * (1 + 1e-9)) {}  // room for the rounding of sums

  std::size_t size() const { return routes_.size(); }
  Solution take() { return Solution{std::move(routes_)}; }
  double demand(int node) const { return instance_.demand[static_cast<std::size_t>(node)]; }

  void add(std::vector<int> route) {
    if (route.empty()) return;
    loads_.push_back(
        std::accumulate(route.begin(), route.end(), 0.0, [&](double sum, int n) { return sum + demand(n); }));
    routes_.push_back(std::move(route));
  }

  /// Spreads the customers of the emptiest route over the others; returns whether there was room.
  bool dissolve() {
    const auto emptiest = std::min_element(loads_.begin(), loads_.end()) - loads_.begin();
    std::vector<int> customers = std::move(routes_[static_cast<std::size_t>(emptiest)]);
    routes_.erase(routes_.begin() + emptiest);
    loads_.erase(loads_.begin() + emptiest);
    std::stable_sort(customers.begin(), customers.end(), [&](int a, int b) { return demand(a) > demand(b); });
    return std::all_of(customers.begin(), customers.end(),
                       [&](int node) { return place(node) || change_places(node); });
  }

  /// Adds a route through these customers, each inserted where it costs least.
  void add_in_good_order(const std::vector<int>& customers) {
    routes_.emplace_back();
    loads_.push_back(0);
    for (const int node : customers) insert(node, best_spot(node, routes_.size() - 1));
  }

 private:
  struct Spot {
    std::size_t route = 0, place = 0;
    double cost = std::numeric_limits<double>::infinity();
  };

  bool fits(int node, std::size_t route) const { return loads_[route] + demand(node) <= limit_; }

  Spot best_spot(int node, std::size_t route) const {
    Spot best;
    int before = instance_.depot;
    for (std::size_t place = 0; place <= routes_[route].size(); ++place) {
      const int after = place < routes_[route].size() ? routes_[route][place] : instance_.depot;
      const double cost =
          instance_.distance(before, node) + instance_.distance(node, after) - instance_.distance(before, after);
      if (cost < best.cost) best = {route, place, cost};
      before = after;
    }
    return best;
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
      if (const Spot spot = best_spot(node, route); spot.cost < best.cost) best = spot;
    }
    if (!std::isfinite(best.cost)) return false;
    insert(node, best);
    return true;
  }

  /// Into the place of a smaller customer, which finds room elsewhere.
  bool change_places(int node) {
    for (std::size_t route = 0; route < routes_.size(); ++route)
      for (std::size_t at = 0; at < routes_[route].size(); ++at) {
        const int other = routes_[route][at];
        if (demand(other) >= demand(node) || loads_[route] - demand(other) + demand(node) > limit_) continue;
        if (!place(other, route)) continue;
        routes_[route].erase(routes_[route].begin() + static_cast<std::ptrdiff_t>(at));
        loads_[route] -= demand(other);
        insert(node, best_spot(node, route));
        return true;
      }
    return false;
  }

  const Instance& instance_;
  double limit_;
  std::vector<std::vector<int>> routes_;
  std::vector<double> loads_;
};

/// Whole units of the demand of each customer that is left, the largest first: the largest and those others that fill a
/// vehicle best with it, as a table of reachable sums tells.
std::vector<int> fullest_load(std::vector<int>& left, const Instance& instance) {
  const auto units = [&](int node) {
    return static_cast<std::size_t>(instance.demand[static_cast<std::size_t>(node)]);
  };
  const std::size_t room = static_cast<std::size_t>(instance.capacity) - units(left[0]);
  std::vector<int> last(room + 1, -1);  // the place in `left` of the customer that first made a sum; 0: the empty sum
  last[0] = 0;
  for (std::size_t i = 1; i < left.size(); ++i)
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

/// Loads of customers, largest demands first, each as full as can be; none where demands are not whole numbers.
std::vector<std::vector<int>> pack_by_demand(const Instance& instance) {
  const auto whole = [](double value) { return value == std::floor(value); };
  if (!whole(instance.capacity) || instance.capacity > kMostUnits ||
      !std::all_of(instance.demand.begin(), instance.demand.end(), whole))
    return {};
  std::vector<int> left;
  for (int node = 0; node < instance.size; ++node)
    if (node != instance.depot) left.push_back(node);
  std::stable_sort(left.begin(), left.end(), [&](int a, int b) {
    return instance.demand[static_cast<std::size_t>(a)] > instance.demand[static_cast<std::size_t>(b)];
  });
  std::vector<std::vector<int>> loads;
  while (!left.empty()) loads.push_back(fullest_load(left, instance));
  return loads;
}

}  // namespace

std::optional<Solution> fit_vehicles(const Instance& instance, const Solution& solution) {
  const auto vehicles = static_cast<std::size_t>(instance.vehicles);
  if (traits(instance.kind).windows && solution.routes.size() > vehicles) return std::nullopt;  // not yet
  Fleet fleet(instance);
  for (const auto& route : solution.routes) fleet.add(route);
  while (fleet.size() > vehicles && fleet.dissolve()) {
  }
  if (fleet.size() <= vehicles && fleet.size() > 0) {
    // A route that could not be dissolved whole has lost customers: its solution is none.
    Solution fitted = fleet.take();
    std::size_t visited = 0;
    for (const auto& route : fitted.routes) visited += route.size();
    if (visited == static_cast<std::size_t>(instance.customers())) return fitted;
  }
  const std::vector<std::vector<int>> loads = pack_by_demand(instance);
  if (loads.empty() || loads.size() > vehicles) return std::nullopt;
  Fleet packed(instance);
  for (const auto& load : loads) packed.add_in_good_order(load);
  return packed.take();
}

}  // namespace neuopt::search
