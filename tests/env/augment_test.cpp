// Random symmetries of the unit square: all eight come up, and none changes a distance.
#include "env/augment.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

namespace neuopt {
namespace {

using env::Augmentation;

Augmentation draw(std::uint32_t index) {
  return env::draw_augmentation(Random{17}.words(Draw::augment, index, 0, 0, 0));
}

std::array<int, 4> entries(const Augmentation& map) { return {map.xx, map.xy, map.yx, map.yy}; }

TEST(Augmentation, ReachesAllEightSymmetriesAboutEqually) {
  constexpr int kDraws = 80000;
  std::map<std::array<int, 4>, int> count;
  for (std::uint32_t i = 0; i < kDraws; ++i) ++count[entries(draw(i))];
  ASSERT_EQ(count.size(), 8u);
  for (const auto& [map, times] : count) EXPECT_NEAR(times, kDraws / 8, 500);  // more than five standard deviations
}

TEST(Augmentation, KeepsDistancesAndTheUnitSquare) {
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const Augmentation map = draw(i);
    const Philox4 words = Random{18}.words(Draw::test, i, 0, 0, 0);
    const float x1 = uniform_float(words.word[0]), y1 = uniform_float(words.word[1]);
    const float x2 = uniform_float(words.word[2]), y2 = uniform_float(words.word[3]);
    float seen_x1, seen_y1, seen_x2, seen_y2;
    env::apply(map, x1, y1, seen_x1, seen_y1);
    env::apply(map, x2, y2, seen_x2, seen_y2);
    EXPECT_NEAR(std::hypot(x1 - x2, y1 - y2), std::hypot(seen_x1 - seen_x2, seen_y1 - seen_y2), 1e-6);
    EXPECT_TRUE(0 <= seen_x1 && seen_x1 <= 1 && 0 <= seen_y1 && seen_y1 <= 1);
  }
}

TEST(Augmentation, CornersGoToCorners) {
  float x, y;
  for (std::uint32_t i = 0; i < 100; ++i) {
    env::apply(draw(i), 0, 1, x, y);
    EXPECT_TRUE((x == 0 || x == 1) && (y == 0 || y == 1));
  }
}

TEST(Augmentation, IdentityLeavesCoordinatesAlone) {
  float x, y;
  env::apply(Augmentation{}, 0.25f, 0.75f, x, y);
  EXPECT_EQ(x, 0.25f);
  EXPECT_EQ(y, 0.75f);
}

TEST(Augmentation, ComposesFromRightToLeft) {
  const Augmentation flip{0, 1, 1, 0}, mirror{-1, 0, 0, 1};
  float x, y;
  env::apply(env::compose(mirror, flip), 0.25f, 0.125f, x, y);  // flip first: (0.125, 0.25), then 1 - x
  EXPECT_EQ(x, 0.875f);
  EXPECT_EQ(y, 0.25f);
}

}  // namespace
}  // namespace neuopt
