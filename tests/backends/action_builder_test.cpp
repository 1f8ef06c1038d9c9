#include "backends/action_builder.h"

#include <gtest/gtest.h>

#include "support/random_tour.h"

namespace neuopt::backends {
namespace {

std::vector<int> allowed(const ActionBuilder& builder, int nodes) {
  std::vector<int> result;
  for (int node = 0; node < nodes; ++node)
    if (builder.allows(node)) result.push_back(node);
  return result;
}

using Nodes = std::vector<int>;

TEST(ActionBuilder, FollowsTheRulesOfTheMoves) {
  test::Tour tour = test::identity_tour(8);
  ActionBuilder builder(policy::paper_architecture(ProblemKind::tsp), tour.view(), 3, {});
  EXPECT_EQ(allowed(builder, 8), (Nodes{0, 1, 2, 4, 5, 6, 7}));
  builder.choose(2);
  EXPECT_EQ(allowed(builder, 8), (Nodes{0, 3, 4, 5, 6, 7}));  // ranks 1 .. N-2
  EXPECT_EQ(builder.move_input(), 2);
  EXPECT_EQ(builder.edge_input(), 2);
  builder.choose(5);
  EXPECT_EQ(allowed(builder, 8), (Nodes{0, 1, 6, 7}));
  EXPECT_EQ(builder.move_input(), 5);
  EXPECT_EQ(builder.edge_input(), 3);  // the successor of the choice before last
  builder.choose(1);                   // its successor is the anchor
  EXPECT_EQ(allowed(builder, 8), (Nodes{2}));
  EXPECT_TRUE(builder.open());
  builder.choose(2);
  EXPECT_FALSE(builder.open());
  EXPECT_TRUE(builder.action().closed);
  EXPECT_EQ(builder.action().cut_count, 2);
}

TEST(ActionBuilder, EndsAfterAnEMoveOrKChoices) {
  test::Tour tour = test::identity_tour(10);
  ActionBuilder early(policy::paper_architecture(ProblemKind::tsp), tour.view(), -1, {});
  early.choose(4);
  early.choose(5);
  EXPECT_FALSE(early.open());
  EXPECT_EQ(early.action().cut_count, 0);

  ActionBuilder full(policy::paper_architecture(ProblemKind::tsp, 3), tour.view(), -1, {});
  for (const int node : {0, 3, 6}) full.choose(node);
  EXPECT_FALSE(full.open());
  EXPECT_FALSE(full.action().closed);
  EXPECT_EQ(full.action().cut_count, 2);
}

TEST(ActionBuilder, FixedKLeavesTheEMoveToTheLast) {
  policy::Architecture architecture = policy::paper_architecture(ProblemKind::tsp);
  architecture.fixed_k = true;
  test::Tour tour = test::identity_tour(6);
  ActionBuilder builder(architecture, tour.view(), -1, {});
  builder.choose(0);
  EXPECT_EQ(allowed(builder, 6), (Nodes{2, 3, 4}));
  builder.choose(4);
  EXPECT_EQ(allowed(builder, 6), (Nodes{5}));  // an E-move, the only choice
}

}  // namespace
}  // namespace neuopt::backends
