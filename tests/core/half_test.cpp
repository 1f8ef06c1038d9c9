#include "core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace neuopt {
namespace {

TEST(Half, EveryNumberSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = from_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_half(value), bits) << value;
  }
}

TEST(Half, KnownNumbers) {
  EXPECT_EQ(to_half(0.0f), 0x0000);
  EXPECT_EQ(to_half(-0.0f), 0x8000);
  EXPECT_EQ(to_half(1.0f), 0x3c00);
  EXPECT_EQ(to_half(-2.0f), 0xc000);
  EXPECT_EQ(to_half(65504.0f), 0x7bff);
  EXPECT_EQ(to_half(65519.0f), 0x7bff);
  EXPECT_EQ(to_half(65520.0f), 0x7c00);  // rounds up to infinity
  EXPECT_EQ(to_half(std::ldexp(1.0f, -24)), 0x0001);
  EXPECT_EQ(to_half(std::ldexp(1023.0f, -24)), 0x03ff);  // largest without an exponent
  EXPECT_EQ(to_half(std::ldexp(1.0f, -14)), 0x0400);
  EXPECT_EQ(to_half(std::ldexp(1.0f, -25)), 0x0000);  // halfway between 0 and the smallest: to even
  EXPECT_EQ(to_half(std::ldexp(3.0f, -25)), 0x0002);  // halfway between 1 and 2 units: to even
  EXPECT_EQ(to_half(std::numeric_limits<float>::infinity()), 0x7c00);
  EXPECT_TRUE(std::isnan(from_half(to_half(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(to_half(1.0f + std::ldexp(1.0f, -11)), 0x3c00);                          // tie: even is below
  EXPECT_EQ(to_half(1.0f + 3 * std::ldexp(1.0f, -11)), 0x3c02);                      // tie: even is above
  EXPECT_EQ(to_half(1.0f + std::ldexp(1.0f, -11) + std::ldexp(1.0f, -20)), 0x3c01);  // above the tie
  EXPECT_EQ(to_half(2.0f - std::ldexp(1.0f, -12)), 0x4000);                          // carries into the exponent
}

}  // namespace
}  // namespace neuopt
