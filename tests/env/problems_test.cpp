// Loads, violations and node features of small CVRP tours worked out by hand.
#include "env/problems/problems.h"

#include <gtest/gtest.h>

#include <vector>

#include "world.h"

namespace neuopt {
namespace {

/// Three depots, three customers of 0.5, 0.75 and 0.25.
test::World world_of(const std::vector<int>& order) {
  return test::World({0.5f, 0.5f, 0.5f, 0.1f, 0.2f, 0.3f}, {0.5f, 0.5f, 0.5f, 0.9f, 0.8f, 0.7f},
                     {0, 0, 0, 0.5f, 0.75f, 0.25f}, 3, test::Tour(order));
}

TEST(Routes, OneRouteAndTwoEmptyOnes) {
  const test::World world = world_of({0, 3, 4, 5, 1, 2});
  EXPECT_EQ(world.up_to(), (std::vector<float>{0, 0, 0, 0.5f, 1.25f, 1.5f}));
  EXPECT_EQ(world.after(), (std::vector<float>{1.5f, 0, 0, 1.0f, 0.25f, 0}));
  EXPECT_NEAR(world.status().violation, 0.5f - 1e-5f, 1e-6);
  EXPECT_FALSE(env::is_feasible(world.status()));
}

TEST(Routes, EmptyRoutesInFrontAndARouteBehindTheLastDepot) {
  const test::World world = world_of({0, 2, 1, 4, 5, 3});
  EXPECT_EQ(world.after()[1], 1.5f);
  EXPECT_EQ(world.up_to(), (std::vector<float>{0, 0, 0, 1.5f, 0.75f, 1.0f}));
}

TEST(Routes, AFullVehicleIsFeasible) {
  const test::World world = world_of({0, 4, 5, 2, 1, 3});
  EXPECT_EQ(world.after()[0], 1.0f);
  EXPECT_EQ(world.after()[1], 0.5f);
  EXPECT_EQ(world.status().violation, 0);
  EXPECT_TRUE(env::is_feasible(world.status()));
}

TEST(Routes, ToleranceDecidesWhatExceeds) {
  EXPECT_FALSE(exceeds_capacity(1.000005f));
  EXPECT_TRUE(exceeds_capacity(1.00002f));
}

TEST(Features, ColumnsOfAnOverloadedRoute) {
  test::World world = world_of({0, 3, 4, 5, 1, 2});
  const std::vector<float> features = world.features();
  const auto row = [&](int node) { return std::vector<float>(&features[8 * node], &features[8 * node] + 8); };
  EXPECT_EQ(row(0), (std::vector<float>{0.5f, 0.5f, 0, 0, 1.5f, 1, 0, 0}));
  EXPECT_EQ(row(3), (std::vector<float>{0.1f, 0.9f, 0.5f, 0.5f, 1.0f, 0, 0, 0}));
  EXPECT_EQ(row(4), (std::vector<float>{0.2f, 0.8f, 1.25f, 0.75f, 0.25f, 0, 0, 1}));
  EXPECT_EQ(row(5), (std::vector<float>{0.3f, 0.7f, 1.5f, 0.25f, 0, 0, 1, 1}));
}

TEST(Features, WithoutViolationFeaturesTheirColumnsAreZero) {
  test::World world = world_of({0, 3, 4, 5, 1, 2});
  std::vector<float> expected = world.features();
  for (std::size_t node = 0; node < 6; ++node) expected[8 * node + 6] = expected[8 * node + 7] = 0;
  world.gire().violation_features = false;
  EXPECT_EQ(world.features(), expected);
}

TEST(Features, OfTheTspAreItsCoordinates) {
  test::World world({0.1f, 0.2f, 0.3f, 0.4f}, {0.9f, 0.8f, 0.7f, 0.6f}, {}, 0, test::Tour({0, 2, 1, 3}));
  EXPECT_EQ(world.features(), (std::vector<float>{0.1f, 0.9f, 0.2f, 0.8f, 0.3f, 0.7f, 0.4f, 0.6f}));
}

TEST(EdgeCost, MatrixRowsAreChosenByPlace) {
  const std::vector<float> matrix{0, 3, 5, 3, 0, 7, 5, 7, 0};
  const std::vector<int> place{1, 1, 0, 2};  // two depots share row 1
  test::World world({0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0.5f, 0.5f}, 2, test::Tour({0, 2, 1, 3}));
  env::InstanceView problem = world.instance();
  problem.matrix = matrix.data();
  problem.place = place.data();
  problem.places = 3;
  EXPECT_EQ(env::edge_cost(problem, 0, 1), 0);
  EXPECT_EQ(env::edge_cost(problem, 0, 2), 3);
  EXPECT_EQ(env::edge_cost(problem, 3, 1), 7);
  EXPECT_EQ(env::tour_cost(problem, world.tour.view()), 3 + 3 + 7 + 7);
}

}  // namespace
}  // namespace neuopt
