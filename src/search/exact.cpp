#include "search/exact.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "core/numbers.h"
#include "env/host_instance.h"
#include "problem/normalize.h"
#include "problem/start.h"
#include "problem/validate.h"
#include "problem/verify.h"
#include "search/timed_paths.h"

namespace neuopt::search {
namespace {

/// Sets of customers are bit masks; customer c is bit c. Held and Karp's recursion over the paths from the base (the
/// depot, or node 0 of a TSP) through a set of customers, by their last customer.
class PathTable {
 public:
  PathTable(const Instance& instance, int base, const std::vector<int>& customers)
      : instance_(instance), base_(base), customers_(customers), count_(static_cast<int>(customers.size())) {
    weigh_edges();
    cost_.assign(static_cast<std::size_t>(1u << count_) * count_, kInfinity);
    for (int set = 1; set < 1 << count_; ++set)
      for (int last = 0; last < count_; ++last)
        if (set >> last & 1) at(set, last) = shortest(set, last);
  }

  /// Cost of the shortest closed route through a set, and the customer before the base.
  double route_cost(int set) const {
    int last = -1;
    return route_cost(set, last);
  }
  double route_cost(int set, int& last) const {
    double best = kInfinity;
    for (int candidate = 0; candidate < count_; ++candidate) {
      if (!(set >> candidate & 1)) continue;
      const double cost = at(set, candidate) + edge(candidate, count_);
      if (!(cost < best)) continue;
      best = cost;
      last = candidate;
    }
    return best;
  }

  /// That route, as nodes of the instance without the base.
  std::vector<int> route(int set) const {
    std::vector<int> nodes;
    int last = -1;
    route_cost(set, last);
    while (set != 0) {
      nodes.push_back(customers_[last]);
      const int rest = set & ~(1 << last);
      if (rest != 0) last = predecessor(rest, last);
      set = rest;
    }
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
  }

 private:
  double& at(int set, int last) { return cost_[static_cast<std::size_t>(set) * count_ + last]; }
  double at(int set, int last) const { return cost_[static_cast<std::size_t>(set) * count_ + last]; }
  double edge(int from, int to) const { return edges_[static_cast<std::size_t>(from) * (count_ + 1) + to]; }

  /// Fixed edges are so cheap that the best route has them all.
  void weigh_edges() {
    const auto node = [&](int place) { return place < count_ ? customers_[place] : base_; };
    double bonus = 0;
    for (int from = 0; from <= count_; ++from)
      for (int to = 0; to <= count_; ++to) {
        edges_.push_back(from == to ? 0 : instance_.distance(node(from), node(to)));
        bonus += edges_.back();
      }
    for (const auto& [a, b] : instance_.fixed_edges)
      for (int from = 0; from <= count_; ++from)
        for (int to = 0; to <= count_; ++to)
          if (std::minmax({a, b}) == std::minmax({node(from), node(to)}))
            edges_[static_cast<std::size_t>(from) * (count_ + 1) + to] -= bonus + 1;
  }

  /// The best customer of `rest` to come from when the next one is `next`.
  int predecessor(int rest, int next) const {
    int best = -1;
    for (int candidate = 0; candidate < count_; ++candidate)
      if ((rest >> candidate & 1) &&
          (best < 0 || at(rest, candidate) + edge(candidate, next) < at(rest, best) + edge(best, next)))
        best = candidate;
    return best;
  }

  double shortest(int set, int last) const {
    const int rest = set & ~(1 << last);
    if (rest == 0) return edge(count_, last);
    const int before = predecessor(rest, last);
    return at(rest, before) + edge(before, last);
  }

  const Instance& instance_;
  int base_;
  const std::vector<int>& customers_;
  int count_;
  std::vector<double> edges_;  // [count + 1][count + 1] costs; the last place is the base
  std::vector<double> cost_;   // [set][last]
};

std::vector<int> all_but(const Instance& instance, int base) {
  std::vector<int> customers;
  for (int node = 0; node < instance.size; ++node)
    if (node != base) customers.push_back(node);
  return customers;
}

/// The tour of one chain of fixed edges, or the better one of two chains.
Solution join_chains(const Instance& instance) {
  const SearchInstance search = make_search_instance(instance);
  std::vector<int> order(static_cast<std::size_t>(instance.size));
  std::iota(order.begin(), order.end(), 0);
  order = with_fixed_edges(search, std::move(order));
  const kopt::FixedEdges fixed = env::fixed_edges(search);
  std::vector<std::ptrdiff_t> free;  // positions before free edges
  for (std::size_t p = 0; p < order.size(); ++p)
    if (!fixed.has(order[p], order[p + 1 < order.size() ? p + 1 : 0])) free.push_back(static_cast<std::ptrdiff_t>(p));
  const Solution one{{order}};
  if (free.size() < 2) return one;
  std::reverse(order.begin() + free[0] + 1, order.begin() + free[1] + 1);
  const Solution other{{order}};
  return solution_cost(instance, other) < solution_cost(instance, one) ? other : one;
}

Solution solve_tsp(const Instance& instance) {
  if (instance.size > kTinySize) return join_chains(instance);
  const std::vector<int> customers = all_but(instance, 0);
  Solution solution{{{0}}};
  const std::vector<int> rest = PathTable(instance, 0, customers).route((1 << customers.size()) - 1);
  solution.routes[0].insert(solution.routes[0].end(), rest.begin(), rest.end());
  return solution;
}

/// Whether each set of customers fits into one vehicle, by the verifier's count: the search's own is a little stricter.
std::vector<bool> fitting_sets(const Instance& instance, const std::vector<int>& customers) {
  const double tolerance = load_tolerance(instance);
  std::vector<bool> fits(std::size_t{1} << customers.size());
  for (std::size_t set = 0; set < fits.size(); ++set) {
    double load = 0;
    for (std::size_t customer = 0; customer < customers.size(); ++customer)
      if (set >> customer & 1) load += instance.demand[static_cast<std::size_t>(customers[customer])];
    fits[set] = load - instance.capacity <= tolerance;
  }
  return fits;
}

/// The cheapest routes that serve each set of customers.
struct Partition {
  std::vector<double> cost;     // of a set
  std::vector<int> last_route;  // one of its routes
};

/// One route more: the route of the lowest customer of a set goes through every subset with it in turn, `rest` says
/// what the others cost. `rest` may be the partition itself, which allows any number of routes.
template <class Paths>
void add_route(const std::vector<bool>& fits, const Paths& paths, const std::vector<double>& rest,
               Partition& partition) {
  for (std::size_t set = 1; set < fits.size(); ++set) {
    const int whole = static_cast<int>(set);
    for (int part = whole; part != 0; part = (part - 1) & whole) {
      if (!(part & whole & -whole) || !fits[static_cast<std::size_t>(part)]) continue;
      const double cost = rest[static_cast<std::size_t>(whole & ~part)] + paths.route_cost(part);
      if (!(cost < partition.cost[set])) continue;
      partition.cost[set] = cost;
      partition.last_route[set] = part;
    }
  }
}

/// The cheapest routes that serve all customers, each the best one through its set that `paths` knows.
template <class Paths>
Solution best_routes(const Instance& instance, const std::vector<bool>& fits, const Paths& paths) {
  const std::size_t sets = fits.size();
  Partition none{std::vector<double>(sets, kInfinity), std::vector<int>(sets, 0)};
  none.cost[0] = 0;
  Partition any = none;
  add_route(fits, paths, any.cost, any);
  const auto routes_of = [&](const std::function<const Partition&(int)>& with_routes) {
    Solution solution;
    for (int set = static_cast<int>(sets) - 1, used = 0; set != 0; ++used) {
      const int route = with_routes(used).last_route[static_cast<std::size_t>(set)];
      solution.routes.push_back(paths.route(route));
      set &= ~route;
    }
    return solution;
  };
  Solution cheapest = routes_of([&](int) -> const Partition& { return any; });
  if (instance.vehicles == 0 || static_cast<int>(cheapest.routes.size()) <= instance.vehicles) return cheapest;
  std::vector<Partition> by_routes{none};  // with so many routes
  for (int routes = 1; routes <= instance.vehicles; ++routes) {
    by_routes.push_back(none);
    add_route(fits, paths, by_routes[by_routes.size() - 2].cost, by_routes.back());
  }
  const auto best = std::min_element(by_routes.begin(), by_routes.end(),
                                     [](const auto& a, const auto& b) { return a.cost.back() < b.cost.back(); });
  if (best->cost.back() == kInfinity) return cheapest;  // no solution within the bound: the verifier says so
  const auto routes = static_cast<int>(best - by_routes.begin());
  return routes_of([&](int used) -> const Partition& { return by_routes[static_cast<std::size_t>(routes - used)]; });
}

Solution solve_cvrp(const Instance& instance) {
  const std::vector<int> customers = all_but(instance, instance.depot);
  return best_routes(instance, fitting_sets(instance, customers), PathTable(instance, instance.depot, customers));
}

Solution solve_vrptw(const Instance& instance) {
  const std::vector<int> customers = all_but(instance, instance.depot);
  return best_routes(instance, fitting_sets(instance, customers), TimedPaths(instance, customers));
}

}  // namespace

Solution solve_exactly(const Instance& instance) {
  validate(instance);  // who can be served at all can be served alone
  switch (instance.kind) {
    case ProblemKind::tsp:
      return solve_tsp(instance);
    case ProblemKind::cvrp:
      return solve_cvrp(instance);
    case ProblemKind::vrptw:
      return solve_vrptw(instance);
  }
  std::abort();  // no such kind
}

}  // namespace neuopt::search
