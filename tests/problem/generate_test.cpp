#include "problem/generate.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/error.h"
#include "problem/generate_draw.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

TEST(Generate, FollowsTheFieldsSettings) {
  const Instance instance = generate_uniform(ProblemKind::cvrp, 100, 1, 0);
  EXPECT_EQ(instance.size, 101);
  EXPECT_EQ(instance.customers(), 100);
  EXPECT_EQ(instance.capacity, 50);
  EXPECT_EQ(instance.demand[0], 0);
  EXPECT_EQ(instance.metric, Metric::unit);
  EXPECT_TRUE(diagnose(instance).solvable);
  EXPECT_EQ(generate_uniform(ProblemKind::tsp, 100, 1, 0).size, 100);
  EXPECT_EQ(generate_uniform(ProblemKind::cvrp, 10, 1, 0, 77).capacity, 77);
}

TEST(Generate, DependsOnSeedAndIndexAlone) {
  const Instance a = generate_uniform(ProblemKind::cvrp, 20, 1, 5);
  const Instance b = generate_uniform(ProblemKind::cvrp, 40, 1, 5);
  for (int node = 0; node <= 20; ++node) {
    EXPECT_EQ(a.coordinates[node].x, b.coordinates[node].x);
    EXPECT_EQ(a.demand[node], b.demand[node]);
  }
  EXPECT_NE(generate_uniform(ProblemKind::cvrp, 20, 2, 5).coordinates[0].x, a.coordinates[0].x);
  EXPECT_NE(generate_uniform(ProblemKind::cvrp, 20, 1, 6).coordinates[0].x, a.coordinates[0].x);
  EXPECT_NE(generate_uniform(ProblemKind::cvrp, 20, 1, 5 + (1ull << 32)).coordinates[0].x, a.coordinates[0].x);
}

TEST(Generate, IsUniform) {
  constexpr int draws = 90000;
  std::map<int, int> demands;
  double x = 0, y = 0, xy = 0, xx = 0;
  for (std::uint32_t node = 0; node < draws; ++node) {
    const NodeDraw draw = draw_node(Random{9}, 3, node);
    ASSERT_TRUE(draw.x >= 0 && draw.x < 1 && draw.y >= 0 && draw.y < 1);
    x += draw.x / draws;
    y += draw.y / draws;
    xy += draw.x * draw.y / draws;
    xx += draw.x * draw.x / draws;
    ++demands[draw.demand];
  }
  // Six standard deviations each.
  EXPECT_NEAR(x, 0.5, 6 * 0.001);
  EXPECT_NEAR(y, 0.5, 6 * 0.001);
  EXPECT_NEAR(xy, 0.25, 6 * 0.0008);
  EXPECT_NEAR(xx, 1.0 / 3, 6 * 0.001);
  EXPECT_EQ(demands.size(), 9u);
  EXPECT_EQ(demands.begin()->first, 1);
  for (const auto& [demand, seen] : demands) EXPECT_NEAR(seen, draws / 9, 6 * 95) << demand;
}

TEST(Generate, RefusesNonsense) {
  EXPECT_THROW(generate_uniform(ProblemKind::tsp, 0, 1, 0), InputError);
  EXPECT_THROW(generate_uniform(ProblemKind::cvrp, 10, 1, 0, 8), InputError);
  EXPECT_THROW(generate_uniform(ProblemKind::cvrp, 10, 1, 0, -3), InputError);
}

TEST(Generate, AsksForTheMemoryOfASet) {
  const auto refusal = [](ProblemKind kind, int count, double copies, double limit) -> std::string {
    try {
      require_memory_to_generate(kind, 1000, count, copies, limit);
    } catch (const ResourceError& error) {
      return error.what();
    }
    return "";
  };
  const double least = 100 * 2 * 8 * 1000;  // bytes of the coordinates
  EXPECT_EQ(refusal(ProblemKind::tsp, 100, 1, least),
            "100 instances of size 1000 need about 1.7 MB of memory, 1.6 MB are allowed");
  EXPECT_EQ(refusal(ProblemKind::tsp, 100, 1, 1.1 * least), "");
  EXPECT_NE(refusal(ProblemKind::tsp, 100, 3, 2.9 * least), "");
  EXPECT_NE(refusal(ProblemKind::cvrp, 100, 1, 1.4 * least), "");
  EXPECT_NE(refusal(ProblemKind::vrptw, 100, 1, 2.9 * least), "");
  EXPECT_EQ(refusal(ProblemKind::tsp, 100, 1, 0), "");
  EXPECT_NE(refusal(ProblemKind::vrptw, kMostInstances, 1e6, 0), "");
}

}  // namespace
}  // namespace neuopt
