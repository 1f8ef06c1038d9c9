// The action factorisation on every small case: which ranks may be chosen, what a choice does, and what the edge stream
// is told.
#include "kopt/action.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <tuple>
#include <vector>

#include "kopt/exchange.h"
#include "linked_path.h"
#include "support/random_tour.h"

namespace neuopt {
namespace {

using test::Choices;
using test::LinkedPath;
using test::Tour;

/// The legal choices after an anchor and the ranks chosen since, word by word as the rules state them.
std::set<int> legal_by_the_rules(int nodes, const std::vector<int>& ranks) {
  std::set<int> legal;
  if (ranks.empty()) {
    for (int rank = 1; rank <= nodes - 2; ++rank) legal.insert(rank);
    return legal;
  }
  const int last = ranks.back();
  if ((last + 1) % nodes == 0) return {0};  // the successor of the last chosen node is the anchor
  for (int rank = last + 1; rank < nodes; ++rank) legal.insert(rank);
  return legal;
}

std::set<int> legal_ranks_of(const kopt::Action& action) {
  std::set<int> legal;
  for (int rank = 0; rank < action.nodes; ++rank)
    if (kopt::legal_ranks(action).allows(rank, action.nodes)) legal.insert(rank);
  return legal;
}

/// Visits every legal sequence of choices with K basis moves: visit(ranks, closed by an E-move).
void for_each_sequence(int nodes, int k, std::vector<int>& ranks,
                       const std::function<void(const std::vector<int>&, bool)>& visit) {
  for (const int rank : legal_by_the_rules(nodes, ranks)) {
    const int successor_of_last = ranks.empty() ? 1 : (ranks.back() + 1) % nodes;
    const bool closes = rank == successor_of_last;
    ranks.push_back(rank);
    visit(ranks, closes);
    if (!closes && static_cast<int>(ranks.size()) < k - 1) for_each_sequence(nodes, k, ranks, visit);
    ranks.pop_back();
  }
}

class EverySmallCase : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(EverySmallCase, FollowsTheRulesAndThePaper) {
  const int nodes = std::get<0>(GetParam()), k = std::get<1>(GetParam());
  int sequences = 0;
  for (int anchor = 0; anchor < nodes; ++anchor) {
    std::vector<int> ranks;
    for_each_sequence(nodes, k, ranks, [&](const std::vector<int>& chosen, bool closes) {
      ++sequences;
      Tour tour = test::identity_tour(nodes);
      LinkedPath path(tour.order);
      path.start(anchor);
      std::vector<int> cuts(k - 1), scratch(nodes);
      kopt::Action action = kopt::start_action(tour.view(), anchor, cuts.data());
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::vector<int> before(chosen.begin(), chosen.begin() + static_cast<long>(i));
        ASSERT_EQ(legal_ranks_of(action), legal_by_the_rules(nodes, before));
        ASSERT_EQ((anchor + kopt::open_end_rank(action)) % nodes, path.low_end());
        kopt::choose(action, chosen[i]);
        if (!action.closed) path.intermediate((anchor + chosen[i]) % nodes);
      }
      ASSERT_EQ(action.closed, closes);
      path.end();
      kopt::apply_exchange(SerialLanes{}, tour.view(), action, scratch.data());
      ASSERT_EQ(tour.order, path.order());
    });
  }
  EXPECT_GT(sequences, 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, EverySmallCase,
                         testing::Combine(testing::Values(4, 5, 6, 9), testing::Values(2, 3, 4, 5, 9)));

TEST(Action, NumberOfSequencesForFourNodes) {
  // By hand, after the anchor: 1 closes at once; 2, then 3 closes. K = 2 stops after the first choice.
  int of_two = 0, of_three = 0, of_six = 0;
  std::vector<int> ranks;
  for_each_sequence(4, 2, ranks, [&](const auto&, bool) { ++of_two; });
  for_each_sequence(4, 3, ranks, [&](const auto&, bool) { ++of_three; });
  for_each_sequence(4, 6, ranks, [&](const auto&, bool) { ++of_six; });
  EXPECT_EQ(of_two, 2);
  EXPECT_EQ(of_three, 3);
  EXPECT_EQ(of_six, 3);
}

TEST(Action, VoidActionChangesNothing) {
  test::Draws draws(3);
  Tour tour = test::random_tour(9, draws);
  const std::vector<int> order = tour.order, position = tour.position;
  std::vector<int> cuts, scratch(9, -1);
  const kopt::Action action = test::make_action(tour.view(), Choices{5, {1}}, cuts);
  EXPECT_TRUE(action.closed);
  EXPECT_EQ(action.cut_count, 0);
  int changed = 0;
  kopt::for_each_changed_edge(tour.view(), action, [&](int, int, int) { ++changed; });
  kopt::apply_exchange(SerialLanes{}, tour.view(), action, scratch.data());
  EXPECT_EQ(changed, 0);
  EXPECT_EQ(tour.order, order);
  EXPECT_EQ(tour.position, position);
}

TEST(Action, TheAnchorIsTheOnlyChoiceAfterTheHighestRank) {
  std::vector<int> cuts(3);
  Tour tour = test::identity_tour(6);
  kopt::Action action = kopt::start_action(tour.view(), 2, cuts.data());
  kopt::choose(action, 3);
  kopt::choose(action, 5);
  EXPECT_FALSE(action.closed);
  EXPECT_EQ(legal_ranks_of(action), std::set<int>{0});
  kopt::choose(action, 0);
  EXPECT_TRUE(action.closed);
  EXPECT_EQ(action.cut_count, 2);
}

}  // namespace
}  // namespace neuopt
