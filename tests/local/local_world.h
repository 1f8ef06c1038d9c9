// Instances of all sorts, degenerate ones among them, with what local search needs; and lanes that can reduce.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "env/host_instance.h"
#include "local/route_search.h"
#include "local/tsp_search.h"
#include "problem/generate.h"
#include "support/random_tour.h"
#include "support/thread_lanes.h"

namespace neuopt::test {

/// Lanes on threads that find the best move of all through shared slots.
class ReducingLanes : public ThreadLanes {
 public:
  ReducingLanes(const ThreadLanes& lanes, std::vector<local::Move>& slots) : ThreadLanes(lanes), slots_(&slots) {}

  friend local::Move best_of(const ReducingLanes& lanes, local::Move mine) {
    (*lanes.slots_)[lanes.first()] = mine;
    lanes.sync();
    for (const local::Move& other : *lanes.slots_) mine.offer(other.delta, other.number);
    lanes.sync();
    return mine;
  }

 private:
  std::vector<local::Move>* slots_;
};

/// What an instance is like.
enum class Sort { uniform, shaped, equal_points, zero_demands, one_per_route, endless_capacity, matrix, line, tenths };
inline constexpr int kSorts = 9;

/// Places on a grid of so many units, distances cut after one decimal, times in tenths.
inline void count_in_tenths(Instance& instance, double side) {
  const auto tenths = [side](double value) { return std::floor(10 * side * value) / 10; };
  instance.metric = Metric::dimacs_2d;
  for (Point& point : instance.coordinates) point = {std::floor(side * point.x), std::floor(side * point.y)};
  for (TimeWindow& window : instance.windows) window = {tenths(window.opens), tenths(window.closes)};
  for (double& service : instance.service) service = tenths(service);
}

/// Windows and day are made as long as every customer needs to be served alone.
inline void allow_lone_visits(Instance& instance) {
  if (instance.windows.empty()) return;
  TimeWindow& day = instance.windows[instance.depot];
  for (int node = 0; node < instance.size; ++node) {
    if (node == instance.depot) continue;
    const double there = instance.distance(instance.depot, node);
    TimeWindow& window = instance.windows[node];
    window.closes = std::max(window.closes, there);
    day.closes = std::max(day.closes, std::max(window.opens, there) + instance.service[node] + there);
  }
}

inline Instance sorted_instance(ProblemKind kind, int customers, Sort sort, Draws& draws) {
  const auto seed = static_cast<std::uint64_t>(draws.below(1 << 30));
  if (sort == Sort::shaped) return generate_shaped(kind, customers, seed, 0);
  Instance instance = generate_uniform(kind, customers, seed, 0);
  if (sort == Sort::equal_points)
    for (Point& point : instance.coordinates) point = draws.below(3) == 0 ? Point{0.25, 0.75} : instance.coordinates[0];
  if (sort == Sort::line)
    for (Point& point : instance.coordinates) point.y = point.x;
  if (sort == Sort::matrix) {
    instance.metric = Metric::explicit_matrix;
    instance.matrix.assign(static_cast<std::size_t>(instance.size) * instance.size, 0);
    for (int a = 0; a < instance.size; ++a)
      for (int b = 0; b < a; ++b)
        instance.matrix[a * instance.size + b] = instance.matrix[b * instance.size + a] = draws.between(0, 50);
    for (TimeWindow& window : instance.windows) window = {40 * window.opens, 40 * window.closes};
  }
  if (sort == Sort::tenths) count_in_tenths(instance, draws.between(2, 2000));
  allow_lone_visits(instance);
  if (kind == ProblemKind::tsp) return instance;
  for (int node = 0; node < instance.size; ++node) {
    if (node == instance.depot) continue;
    if (sort == Sort::zero_demands && draws.below(4) != 0) instance.demand[node] = 0;
    if (sort == Sort::one_per_route) instance.demand[node] = instance.capacity;
  }
  if (sort == Sort::endless_capacity) instance.capacity = 1e9;
  return instance;
}

struct LocalWorld {
  Instance instance;
  SearchInstance search;
  std::vector<std::byte> nodes;
  local::Neighbours neighbours;
  std::vector<int> order;
  std::vector<double> workspace;

  LocalWorld(Instance stated, int neighbour_count, int min_depots = 0)
      : instance(std::move(stated)),
        search(make_search_instance(instance, {min_depots})),
        nodes(env::node_table(search)),
        neighbours(local::find_neighbours(search, neighbour_count)),
        order(env::standard_start(search, Random{1}, 0, 0)) {
    env::for_problem(search.kind, [&](auto problem) {
      workspace.resize(local::LocalSearch<decltype(problem)>::bytes(search.size()) / sizeof(double) + 1);
    });
  }

  env::InstanceView view() const { return env::view_of(search, nodes, {}); }

  local::LocalTask task(const local::LocalRules& rules = {}, const std::vector<int>& fixed = {}) const {
    env::InstanceView seen = view();
    if (!fixed.empty()) seen.fixed = fixed.data();
    return {seen, neighbours.view(), rules};
  }

  /// Any tour, feasible or not.
  void shuffle(Draws& draws) { order = random_tour(search.size(), draws).order; }

  local::Polished polish(const local::LocalTask& task) {
    return env::for_problem(search.kind, [&](auto problem) {
      return local::LocalSearch<decltype(problem)>::polish(SerialLanes{}, task, order.data(), workspace.data());
    });
  }

  /// Time warp of a vehicle that drives to these customers.
  double warp_of(const std::vector<int>& route) const {
    RouteClock clock;
    int last = 0;
    for (const int node : route)
      clock.visit(env::travel_time(view(), std::exchange(last, node), node), search.times[node]);
    clock.visit(env::travel_time(view(), last, 0), search.times[0]);
    return static_cast<double>(clock.warp);
  }

  /// What the times of a route cost, driven the better way.
  double lateness(std::vector<int> route) const {
    if (search.times.empty() || route.empty()) return 0;
    const double along = warp_of(route);
    std::reverse(route.begin(), route.end());
    const double warp = std::min(along, warp_of(route));
    return warp > 0 ? 1e-3 + warp * search.tick_length : 0;
  }

  /// Cost of a tour as local search sees it, with penalties, by plain means.
  double penalised(const std::vector<int>& tour, double penalty) const {
    double cost = 0, load = 0, excess = 0;
    std::vector<int> route;
    const auto close = [&] {
      const double over = load - static_cast<double>(kLoadLimit);
      excess += (over > 0 ? 1e-5 + over : 0) + lateness(std::exchange(route, {}));
    };
    for (std::size_t p = 0; p < tour.size(); ++p) {
      cost += local::search_cost(view(), tour[p], tour[p + 1 < tour.size() ? p + 1 : 0]);
      if (search.demand.empty()) continue;
      if (search.is_depot(tour[p])) {
        close();
        load = 0;
      } else {
        route.push_back(tour[p]);
      }
      load += search.demand[static_cast<std::size_t>(tour[p])];
    }
    close();
    return cost + penalty * excess;
  }

  /// As the search wants it: every node once, node 0 first, depots of empty routes last and in order.
  bool is_well_formed(const std::vector<int>& tour) const {
    std::vector<int> sorted = tour;
    std::sort(sorted.begin(), sorted.end());
    for (int node = 0; node < search.size(); ++node)
      if (sorted[static_cast<std::size_t>(node)] != node) return false;
    if (tour[0] != 0) return false;
    int depot = 0;
    bool empty_seen = false;
    for (std::size_t p = 0; p < tour.size() && search.depots > 0; ++p) {
      if (!search.is_depot(tour[p])) continue;
      const bool is_empty = p + 1 == tour.size() || search.is_depot(tour[p + 1]);
      if (tour[p] != depot++ || (empty_seen && !is_empty)) return false;
      empty_seen = is_empty;
    }
    return true;
  }
};

}  // namespace neuopt::test
