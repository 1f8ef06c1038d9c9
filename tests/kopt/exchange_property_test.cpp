// Properties of the exchange for random tours, any K and legal choices. A case is (N, K, seed): it shrinks to the
// smallest N and K that fail.
#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "kopt/exchange.h"
#include "linked_path.h"
#include "support/property.h"
#include "support/random_tour.h"

namespace neuopt {
namespace {

using test::check_property;
using test::Choices;
using test::Draws;
using test::LinkedPath;
using test::Tour;

constexpr int kCases = 100000;

/// A tour, an action on it and the tour after the exchange.
struct Case {
  Tour before, after;
  Choices choices;
  std::vector<int> cuts;
  kopt::Action action;

  Case(int nodes, int k, std::uint64_t seed) : Case(nodes, k, Draws(seed)) {}

 private:
  Case(int nodes, int k, Draws draws)
      : before(test::random_tour(nodes, draws)),
        after(before),
        choices(test::random_choices(nodes, k, draws)),
        action(test::make_action(before.view(), choices, cuts)) {
    std::vector<int> scratch(nodes);
    kopt::apply_exchange(SerialLanes{}, after.view(), action, scratch.data());
  }
};

Case draw_case(int largest_k = 12) {
  const int nodes = *rc::gen::inRange(4, 80).as("N");
  const int k = *rc::gen::inRange(2, largest_k + 1).as("K");
  return Case(nodes, k, *rc::gen::arbitrary<std::uint64_t>().as("seed"));
}

std::set<std::pair<int, int>> edges_of(const Tour& tour) {
  std::set<std::pair<int, int>> edges;
  for (int p = 0; p < tour.size(); ++p)
    edges.insert(std::minmax(tour.order[p], tour.order[static_cast<std::size_t>(p + 1) % tour.order.size()]));
  return edges;
}

/// An arbitrary symmetric integer weight, so that sums are exact.
std::int64_t weight(int a, int b) {
  const auto [low, high] = std::minmax(a, b);
  return philox4x32(Philox4{{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high), 0, 0}}, 7, 7).word[0];
}

std::int64_t cost_of(const Tour& tour) {
  std::int64_t cost = weight(tour.order.back(), tour.order.front());
  for (int p = 1; p < tour.size(); ++p) cost += weight(tour.order[p - 1], tour.order[p]);
  return cost;
}

TEST(ExchangeProperty, StaysAHamiltonianCycleWithNodeZeroInFront) {
  check_property(kCases, [] {
    const Case c = draw_case();
    RC_ASSERT(c.after.order[0] == 0);
    std::vector<int> sorted = c.after.order;
    std::sort(sorted.begin(), sorted.end());
    for (int p = 0; p < c.after.size(); ++p) {
      RC_ASSERT(sorted[p] == p);
      RC_ASSERT(c.after.position[c.after.order[p]] == p);
    }
  });
}

TEST(ExchangeProperty, EqualsThePapersMovesStepByStep) {
  check_property(kCases, [] {
    const Case c = draw_case();
    LinkedPath path(c.before.order);
    path.start(c.choices.anchor);
    const int anchor_position = c.before.position[c.choices.anchor];
    for (const int rank : c.choices.ranks) {
      const int node = c.before.order[(anchor_position + rank) % c.before.size()];
      if (node == path.high_end()) break;  // the E-move
      path.intermediate(node);
    }
    path.end();
    RC_ASSERT(c.after.order == path.order());
  });
}

TEST(ExchangeProperty, RankAfterSaysWhereEachNodeGoes) {
  check_property(kCases / 10, [] {
    Case c = draw_case();
    const int old_base = c.action.anchor_position, new_base = c.after.position[c.choices.anchor];
    for (int node = 0; node < c.before.size(); ++node) {
      const int old_rank = kopt::rank_of(c.before.view(), old_base, node);
      RC_ASSERT(kopt::rank_after(c.action, old_rank) == kopt::rank_of(c.after.view(), new_base, node));
    }
  });
}

TEST(ExchangeProperty, CostAfterIsCostBeforePlusTheChangedEdges) {
  check_property(kCases, [] {
    Case c = draw_case();
    std::int64_t delta = 0;
    kopt::for_each_changed_edge(c.before.view(), c.action,
                                [&](int from, int to, int sign) { delta += sign * weight(from, to); });
    RC_ASSERT(cost_of(c.after) == cost_of(c.before) + delta);
  });
}

TEST(ExchangeProperty, RemovesKEdgesAndAddsKNewOnes) {
  check_property(kCases, [] {
    Case c = draw_case();
    const auto before = edges_of(c.before), after = edges_of(c.after);
    std::multiset<std::pair<int, int>> removed, added;
    kopt::for_each_changed_edge(c.before.view(), c.action, [&](int from, int to, int sign) {
      (sign < 0 ? removed : added).insert(std::minmax(from, to));
    });
    const std::size_t k = c.action.cut_count == 0 ? 0 : static_cast<std::size_t>(c.action.cut_count) + 1;
    RC_ASSERT(removed.size() == k);
    RC_ASSERT(added.size() == k);
    for (const auto& edge : removed) RC_ASSERT(before.count(edge) == 1);
    for (const auto& edge : added) RC_ASSERT(after.count(edge) == 1);
    const bool coincide = std::any_of(added.begin(), added.end(), [&](auto& edge) { return before.count(edge) == 1; });
    if (coincide) return;
    RC_ASSERT(std::set(added.begin(), added.end()).size() == k);
    RC_ASSERT(static_cast<std::size_t>(
                  std::count_if(after.begin(), after.end(), [&](auto& edge) { return before.count(edge) == 0; })) == k);
  });
}

TEST(ExchangeProperty, TwoMovesAreClassicTwoOpt) {
  check_property(kCases, [] {
    const Case c = draw_case(2);
    const int n = c.before.size(), start = c.before.position[c.choices.anchor];
    std::vector<int> expected = c.before.order;
    std::rotate(expected.begin(), expected.begin() + start, expected.end());  // the anchor in front
    std::reverse(expected.begin() + 1, expected.begin() + 1 + c.choices.ranks[0]);
    std::rotate(expected.begin(), std::find(expected.begin(), expected.end(), 0), expected.end());
    RC_ASSERT(c.choices.ranks[0] >= 1);
    RC_ASSERT(c.choices.ranks[0] <= n - 2);
    RC_ASSERT(c.after.order == expected);
  });
}

}  // namespace
}  // namespace neuopt
