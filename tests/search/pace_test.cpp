#include "search/pace.h"

#include <gtest/gtest.h>

namespace neuopt::search {
namespace {

using std::chrono::milliseconds;

TEST(Pace, BeginsWithOneStepAndGrowsSlowly) {
  Pace pace;
  const Clock::time_point now = Clock::now();
  EXPECT_EQ(pace.next(1000, now), 1);
  pace.record(1, 0.001);
  EXPECT_EQ(pace.next(1000, now), 4);
  pace.record(4, 0.004);
  EXPECT_EQ(pace.next(1000, now), 16);
  EXPECT_EQ(pace.next(7, now), 7);
}

TEST(Pace, AimsAtATenthOfASecond) {
  Pace pace;
  pace.record(64, 0.064);
  EXPECT_EQ(pace.next(1000, Clock::now()), 100);
}

TEST(Pace, TakesAtMostHalfOfTheTimeLeft) {
  const Clock::time_point now = Clock::now();
  Pace pace(now + milliseconds(50));
  pace.record(64, 0.064);
  EXPECT_EQ(pace.next(1000, now), 20);
}

TEST(Pace, StopsWhenAStepWouldEndTooLate) {
  const Clock::time_point now = Clock::now();
  Pace pace(now + milliseconds(500));
  EXPECT_FALSE(pace.out_of_time(now));
  pace.record(1, 0.3);
  EXPECT_FALSE(pace.out_of_time(now));
  EXPECT_TRUE(pace.out_of_time(now + milliseconds(200)));
  EXPECT_FALSE(pace.out_of_time(now + milliseconds(200), 0.5));
  EXPECT_TRUE(pace.out_of_time(now + milliseconds(500), 0));
}

TEST(Pace, AnExpectedStepCountsBeforeTheFirst) {
  const Clock::time_point now = Clock::now();
  EXPECT_FALSE(Pace(now + milliseconds(100)).out_of_time(now));
  EXPECT_TRUE(Pace(now + milliseconds(100), 0.2).out_of_time(now));
  EXPECT_EQ(Pace(now + milliseconds(100), 0.001).next(1000, now), 1) << "still to be measured";
}

TEST(Pace, ASlowStepCountsAtOnce) {
  Pace pace;
  pace.record(1, 0.001);
  pace.record(1, 0.1);
  EXPECT_DOUBLE_EQ(pace.step_seconds(), 0.1);
  pace.record(1, 0.001);
  EXPECT_DOUBLE_EQ(pace.step_seconds(), 0.0505);
}

}  // namespace
}  // namespace neuopt::search
