// The time of a run over several processes.
#include "train/run_clock.h"

#include <gtest/gtest.h>

#include <cmath>

namespace neuopt::train {
namespace {

constexpr double kSlack = 5;  // seconds that the test itself may take

TEST(RunClockTest, WithoutAnEndThereIsNoProgress) {
  RunClock clock(0, 0, 1000);
  clock.keep_back(10);
  EXPECT_TRUE(std::isinf(clock.seconds_left()));
  EXPECT_FALSE(clock.must_end_learning());
  EXPECT_EQ(clock.progress(), 0);
  EXPECT_NEAR(clock.seconds(), 1000, kSlack);
}

TEST(RunClockTest, ProgressIsOneWhenLearningMustEnd) {
  RunClock clock(100, 0, 5900);
  clock.keep_back(100);
  EXPECT_EQ(clock.progress(), 1);
  EXPECT_TRUE(clock.must_end_learning());
  EXPECT_FALSE(clock.is_over());
  EXPECT_NEAR(clock.seconds_left(), 100, kSlack);
}

TEST(RunClockTest, MinutesAreOfTheProcessAndTotalMinutesOfTheRun) {
  RunClock process(100, 0, 0), run(0, 100, 0);
  for (RunClock* clock : {&process, &run}) clock->continue_after(3000);
  EXPECT_NEAR(process.seconds_left(), 6000, kSlack);
  EXPECT_NEAR(run.seconds_left(), 3000, kSlack);
  EXPECT_NEAR(process.progress(), 3000.0 / 9000, 0.001);
  EXPECT_NEAR(run.progress(), 0.5, 0.001);
  run.continue_after(6001);
  EXPECT_TRUE(run.is_over());
  EXPECT_EQ(run.progress(), 1);
}

}  // namespace
}  // namespace neuopt::train
