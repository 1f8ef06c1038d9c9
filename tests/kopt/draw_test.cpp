#include "kopt/draw.h"

#include <gtest/gtest.h>

#include <limits>
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

TEST(DrawIndex, OnlyWhatIsPossibleIsDrawnAmongNumbersThatAreNotFinite) {
  const float none = std::numeric_limits<float>::quiet_NaN(), endless = std::numeric_limits<float>::infinity();
  for (const std::vector<float>& weights : {std::vector<float>{0, none, none, 0}, {0, none, 1, 0}, {0, 1, endless, 0}})
    for (const float uniform : {0.0f, 0.5f, 0.999f}) {
      const int index = kopt::draw_index(SerialLanes{}, 4, uniform, [&](int i) {
                          return weights[static_cast<std::size_t>(i)];
                        }).index;
      EXPECT_EQ(index, 2);
    }
}

}  // namespace
}  // namespace neuopt
