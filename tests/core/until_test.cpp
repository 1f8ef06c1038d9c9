#include "core/until.h"

#include <gtest/gtest.h>

#include <cmath>

namespace neuopt {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Until, NeverEndsByDefault) {
  EXPECT_FALSE(Until{}.over());
  EXPECT_TRUE(std::isinf(Until{}.seconds_left()));
}

TEST(Until, EndsByTheClockOrTheFlag) {
  std::atomic<bool> stop = false;
  const Until soon{Clock::now() + std::chrono::hours(1), &stop};
  EXPECT_FALSE(soon.over());
  EXPECT_GT(soon.seconds_left(), 3000);
  stop = true;
  EXPECT_TRUE(soon.over());
  EXPECT_TRUE(soon.stopped());
  EXPECT_GT(soon.seconds_left(), 3000) << "the clock knows nothing of the flag";
  const Until past{Clock::now() - std::chrono::seconds(1), nullptr};
  EXPECT_TRUE(past.over());
  EXPECT_FALSE(past.stopped());
  EXPECT_LT(past.seconds_left(), 0);
}

TEST(GoOn, SeesTheEndSoonAndStaysWithIt) {
  std::atomic<bool> stop = false;
  GoOn go_on(Until{{}, &stop});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(go_on());
  stop = true;
  int asked = 0;
  while (go_on()) ++asked;
  EXPECT_LT(asked, 20);
  stop = false;
  EXPECT_FALSE(go_on());
  EXPECT_FALSE(GoOn(Until{Clock::now(), nullptr})()) << "the first question counts already";
}

}  // namespace
}  // namespace neuopt
