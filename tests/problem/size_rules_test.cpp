#include "problem/size_rules.h"

#include <gtest/gtest.h>

namespace neuopt {
namespace {

TEST(SizeRules, KeepThePublishedSettings) {
  EXPECT_EQ(uniform_capacity(20), 30);
  EXPECT_EQ(uniform_capacity(50), 40);
  EXPECT_EQ(uniform_capacity(100), 50);
  EXPECT_EQ(uniform_capacity(200), 70);
  EXPECT_EQ(usual_depots(20), 10);
  EXPECT_EQ(usual_depots(50), 20);
  EXPECT_EQ(usual_depots(100), 20);
  EXPECT_EQ(usual_depots(200), 30);
}

TEST(SizeRules, ContinueBetweenAndBeyond) {
  EXPECT_EQ(uniform_capacity(1), 30);
  EXPECT_EQ(uniform_capacity(35), 35);
  EXPECT_EQ(uniform_capacity(150), 60);
  EXPECT_EQ(uniform_capacity(1000), 230);
  EXPECT_EQ(usual_depots(1), 2);
  EXPECT_EQ(usual_depots(19), 10);
  EXPECT_EQ(usual_depots(75), 20);
  EXPECT_EQ(usual_depots(1000), 110);
  for (int customers = 1; customers < 2000; ++customers) {
    EXPECT_LE(uniform_capacity(customers), uniform_capacity(customers + 1));
    EXPECT_LE(usual_depots(customers), usual_depots(customers + 1));
  }
}

}  // namespace
}  // namespace neuopt
