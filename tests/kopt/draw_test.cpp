#include "kopt/draw.h"

#include <gtest/gtest.h>

#include <vector>

namespace neuopt {
namespace {

TEST(DrawIndex, InvertsTheCumulativeSum) {
  const std::vector<double> weights = {0, 1, 0, 3, 0};
  const auto draw = [&](float uniform) {
    return kopt::draw_index(SerialLanes{}, static_cast<int>(weights.size()), uniform,
                            [&](int i) { return weights[static_cast<std::size_t>(i)]; })
        .index;
  };
  EXPECT_EQ(draw(0.0), 1);
  EXPECT_EQ(draw(0.2499), 1);
  EXPECT_EQ(draw(0.2501), 3);
  EXPECT_EQ(draw(0.9999999), 3);
}

}  // namespace
}  // namespace neuopt
