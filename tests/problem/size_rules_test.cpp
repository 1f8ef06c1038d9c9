#include "problem/size_rules.h"

#include <gtest/gtest.h>

namespace neuopt {
namespace {

TEST(SizeRules, KeepThePublishedSettings) {
  EXPECT_EQ(uniform_capacity(20), 30);
  EXPECT_EQ(uniform_capacity(50), 40);
  EXPECT_EQ(uniform_capacity(100), 50);
  EXPECT_EQ(uniform_capacity(200), 70);
  EXPECT_EQ(usual_depots(ProblemKind::cvrp, 20), 10);
  EXPECT_EQ(usual_depots(ProblemKind::cvrp, 50), 20);
  EXPECT_EQ(usual_depots(ProblemKind::cvrp, 100), 20);
  EXPECT_EQ(usual_depots(ProblemKind::cvrp, 200), 30);
  EXPECT_EQ(usual_depots(ProblemKind::vrptw, 50), 20);
  EXPECT_EQ(usual_depots(ProblemKind::vrptw, 100), 28);
}

TEST(SizeRules, ContinueBetweenAndBeyond) {
  EXPECT_EQ(uniform_capacity(1), 30);
  EXPECT_EQ(uniform_capacity(35), 35);
  EXPECT_EQ(uniform_capacity(150), 60);
  EXPECT_EQ(uniform_capacity(1000), 230);
  EXPECT_EQ(usual_depots(ProblemKind::cvrp, 1), 2);
  EXPECT_EQ(usual_depots(ProblemKind::cvrp, 19), 10);
  EXPECT_EQ(usual_depots(ProblemKind::cvrp, 75), 20);
  EXPECT_EQ(usual_depots(ProblemKind::cvrp, 1000), 110);
  for (int customers = 1; customers < 2000; ++customers) {
    EXPECT_LE(uniform_capacity(customers), uniform_capacity(customers + 1));
    for (const ProblemKind kind : {ProblemKind::cvrp, ProblemKind::vrptw})
      EXPECT_LE(usual_depots(kind, customers), usual_depots(kind, customers + 1));
  }
}

}  // namespace
}  // namespace neuopt
