// With all customers in the neighbour lists, no single move of any neighbourhood improves what local search ends with.
// The moves are enumerated here by plain means on lists of routes.
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "local_world.h"
#include "support/property.h"

namespace neuopt {
namespace {

using test::check_property;
using test::draw_seed;
using test::Draws;
using test::LocalWorld;
using List = std::vector<int>;
using Lists = std::vector<List>;

test::Sort draw_sort() { return static_cast<test::Sort>(*rc::gen::inRange(0, test::kSorts).as("sort")); }

List slice(const List& list, std::size_t from, std::size_t to) {
  return List(list.begin() + static_cast<std::ptrdiff_t>(from), list.begin() + static_cast<std::ptrdiff_t>(to));
}
List turned(List list) {
  std::reverse(list.begin(), list.end());
  return list;
}
List joined(std::initializer_list<List> parts) {
  List all;
  for (const List& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
List without(const List& list, std::size_t from, std::size_t to) {
  return joined({slice(list, 0, from), slice(list, to, list.size())});
}
List with(const List& list, std::size_t at, const List& part) {
  return joined({slice(list, 0, at), part, slice(list, at, list.size())});
}

TEST(LocalOptimumProperty, Tsp) {
  check_property(3000, [] {
    Draws draws = draw_seed();
    const int nodes = *rc::gen::inRange(1, 12).as("nodes");
    LocalWorld world(test::sorted_instance(ProblemKind::tsp, nodes, draw_sort(), draws), 1000);
    world.shuffle(draws);
    world.polish(world.task());
    const double cost = world.penalised(world.order, 0);
    const auto size = world.order.size();
    const auto check = [&](const List& order) { RC_ASSERT(world.penalised(order, 0) > cost - 2e-9); };
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = i + 1; j <= size; ++j) {
        const List part = slice(world.order, i, j), rest = without(world.order, i, j);
        check(with(rest, i, turned(part)));  // 2-opt
        if (part.size() > 3) continue;
        for (std::size_t at = 0; at <= rest.size(); ++at) {  // Or-opt
          check(with(rest, at, part));
          check(with(rest, at, turned(part)));
        }
      }
  });
}

/// A solution with routes to be compared with its neighbours.
class Optimum {
 public:
  Optimum(const LocalWorld& world, double penalty) : world_(world), penalty_(penalty) {
    for (const int node : world.order)
      if (world.search.is_depot(node))
        routes_.emplace_back();
      else
        routes_.back().push_back(node);
    cost_ = cost(routes_);
  }

  const Lists& routes() const { return routes_; }

  /// With routes a and b replaced, the solution must not be better.
  void check(std::size_t a, const List& new_a, std::size_t b, const List& new_b) const {
    Lists changed = routes_;
    changed[a] = new_a;
    if (b != a) changed[b] = new_b;
    RC_ASSERT(cost(changed) > cost_ - 2e-9);
  }

  double edge(int a, int b) const { return local::search_cost(world_.view(), a, b); }
  /// The node at a place of a route, the depot beyond its ends.
  int at(std::size_t route, std::size_t place) const {
    return place < routes_[route].size() ? routes_[route][place] : 0;
  }

 private:
  double cost(const Lists& routes) const {
    List order;
    for (std::size_t r = 0; r < routes.size(); ++r) {
      order.push_back(static_cast<int>(r));
      order.insert(order.end(), routes[r].begin(), routes[r].end());
    }
    return world_.penalised(order, penalty_);
  }

  const LocalWorld& world_;
  double penalty_;
  Lists routes_;
  double cost_ = 0;
};

void check_relocate(const Optimum& optimum) {
  const Lists& routes = optimum.routes();
  for (std::size_t a = 0; a < routes.size(); ++a)
    for (std::size_t from = 0; from < routes[a].size(); ++from)
      for (std::size_t to = from + 1; to <= std::min(from + 3, routes[a].size()); ++to) {
        const List part = slice(routes[a], from, to), rest = without(routes[a], from, to);
        for (std::size_t b = 0; b < routes.size(); ++b) {
          const List& into = a == b ? rest : routes[b];
          for (std::size_t place = 0; place <= into.size(); ++place)
            for (const List& way : {part, turned(part)})
              optimum.check(a, a == b ? with(into, place, way) : rest, b, with(into, place, way));
        }
      }
}

void check_tails(const Optimum& optimum) {
  const Lists& routes = optimum.routes();
  for (std::size_t a = 0; a < routes.size(); ++a) {
    for (std::size_t i = 0; i < routes[a].size(); ++i)
      for (std::size_t j = i + 1; j <= routes[a].size(); ++j) {
        const List rest = without(routes[a], i, j);
        optimum.check(a, with(rest, i, turned(slice(routes[a], i, j))), a, {});
      }
    for (std::size_t b = 0; b < a; ++b)
      for (std::size_t i = 0; i <= routes[a].size(); ++i)
        for (std::size_t j = 0; j <= routes[b].size(); ++j) {
          const List head_a = slice(routes[a], 0, i), tail_a = slice(routes[a], i, routes[a].size());
          const List head_b = slice(routes[b], 0, j), tail_b = slice(routes[b], j, routes[b].size());
          optimum.check(a, joined({head_a, tail_b}), b, joined({head_b, tail_a}));
          optimum.check(a, joined({head_a, turned(head_b)}), b, joined({turned(tail_a), tail_b}));
        }
  }
}

/// Swaps of segments in different routes. They are looked for where an end of a segment has an edge to a customer that
/// is longer than a new one: `slack` is what lower penalties may save besides.
void check_swap(const Optimum& optimum) {
  const Lists& routes = optimum.routes();
  for (std::size_t a = 0; a < routes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (std::size_t i = 0; i < routes[a].size(); ++i)
        for (std::size_t j = 0; j < routes[b].size(); ++j)
          for (std::size_t to_i = i + 1; to_i <= std::min(i + 2, routes[a].size()); ++to_i)
            for (std::size_t to_j = j + 1; to_j <= std::min(j + 2, routes[b].size()); ++to_j) {
              const List x = slice(routes[a], i, to_i), y = slice(routes[b], j, to_j);
              for (const List& new_x : {x, turned(x)})
                for (const List& new_y : {y, turned(y)}) {
                  const auto closer = [&](int end, int outer, int new_outer) {
                    return new_outer != 0 && optimum.edge(end, new_outer) < optimum.edge(end, outer);
                  };
                  const int before_x = optimum.at(a, i - 1), after_x = optimum.at(a, to_i);
                  const int before_y = optimum.at(b, j - 1), after_y = optimum.at(b, to_j);
                  const auto outer = [](const List& way, int end, int before, int after) {
                    return way.front() == end ? before : after;
                  };
                  const bool seen = closer(new_x.front(), outer(x, new_x.front(), before_x, after_x), before_y) ||
                                    closer(new_x.back(), outer(turned(x), new_x.back(), after_x, before_x), after_y) ||
                                    closer(new_y.front(), outer(y, new_y.front(), before_y, after_y), before_x) ||
                                    closer(new_y.back(), outer(turned(y), new_y.back(), after_y, before_y), after_x);
                  if (seen)
                    optimum.check(a, with(without(routes[a], i, to_i), i, new_y), b,
                                  with(without(routes[b], j, to_j), j, new_x));
                }
            }
}

void check_swap_star(const Optimum& optimum) {
  const Lists& routes = optimum.routes();
  for (std::size_t a = 0; a < routes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (std::size_t i = 0; i < routes[a].size(); ++i)
        for (std::size_t j = 0; j < routes[b].size(); ++j) {
          const List rest_a = without(routes[a], i, i + 1), rest_b = without(routes[b], j, j + 1);
          for (std::size_t to_a = 0; to_a <= rest_a.size(); ++to_a)
            for (std::size_t to_b = 0; to_b <= rest_b.size(); ++to_b)
              optimum.check(a, with(rest_a, to_a, {routes[b][j]}), b, with(rest_b, to_b, {routes[a][i]}));
        }
}

void check_local_optimum(ProblemKind kind) {
  check_property(3000, [kind] {
    Draws draws = draw_seed();
    const int customers = *rc::gen::inRange(1, 14).as("customers");
    const test::Sort sort = draw_sort();
    LocalWorld world(test::sorted_instance(kind, customers, sort, draws), 1000);
    world.shuffle(draws);
    local::LocalRules rules;
    if (draws.below(2) == 0) rules.penalty = 0.1 * draws.between(1, 30);
    world.polish(world.task(rules));
    const Optimum optimum(world, rules.penalty);
    check_relocate(optimum);
    check_tails(optimum);
    check_swap(optimum);
    // Without the triangle inequality swap* does not look at everything, nor where a place is judged by a route that a
    // customer has not left yet.
    if (sort != test::Sort::matrix && kind == ProblemKind::cvrp) check_swap_star(optimum);
  });
}

TEST(LocalOptimumProperty, Cvrp) { check_local_optimum(ProblemKind::cvrp); }
TEST(LocalOptimumProperty, Vrptw) { check_local_optimum(ProblemKind::vrptw); }

}  // namespace
}  // namespace neuopt
