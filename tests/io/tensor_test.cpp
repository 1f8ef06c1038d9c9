#include "io/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.h"

namespace neuopt {
namespace {

Tensor from_bits(DType dtype, const std::vector<std::uint16_t>& bits) {
  Tensor tensor = Tensor::zeros(dtype, {static_cast<std::int64_t>(bits.size())});
  std::memcpy(tensor.bytes.data(), bits.data(), tensor.bytes.size());
  return tensor;
}

TEST(Tensor, CountsElementsWithoutOverflow) {
  constexpr std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_EQ(element_count({2, 3, 4}), 24u);
  EXPECT_EQ(element_count({huge, 0, huge}), 0u);
  EXPECT_EQ(element_count({huge, huge}), std::nullopt);
  EXPECT_EQ(element_count({-1}), std::nullopt);
  EXPECT_EQ(element_count({std::numeric_limits<std::int64_t>::max()}), std::nullopt);
}

TEST(Tensor, NamesShapes) {
  EXPECT_EQ(shape_text({}), "()");
  EXPECT_EQ(shape_text({7}), "(7,)");
  EXPECT_EQ(shape_text({10, 20, 2}), "(10,20,2)");
}

TEST(Tensor, ConvertsBetweenTypes) {
  const Tensor reals({2}, std::vector<double>{1.5, -2.0});
  EXPECT_EQ(reals.to_float(), (std::vector<float>{1.5f, -2.0f}));
  EXPECT_THROW(reals.to_int64(), InputError);
  const Tensor integers({2, 1}, std::vector<std::int32_t>{-3, 4});
  EXPECT_EQ(integers.to_double(), (std::vector<double>{-3, 4}));
  EXPECT_EQ(integers.to_int64(), (std::vector<std::int64_t>{-3, 4}));
  const Tensor exact({1}, std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1});
  EXPECT_EQ(exact.to_int64()[0], (std::int64_t{1} << 53) + 1) << "an integer must not pass through a double";
  EXPECT_EQ(Tensor({2}, std::vector<std::uint8_t>{0, 255}).to_int64(), (std::vector<std::int64_t>{0, 255}));
  EXPECT_EQ(Tensor({1}, std::vector<float>{3}).to_int64(), (std::vector<std::int64_t>{3}));
}

TEST(Tensor, RefusesIntegersThatDoNotFit) {
  for (const double value : {0x1p63, -0x1p64, std::nan(""), HUGE_VAL})
    EXPECT_THROW(Tensor({1}, std::vector<double>{value}).to_int64(), InputError) << value;
}

TEST(Tensor, ConvertsHalfPrecision) {
  const std::vector<double> half = from_bits(DType::f16, {0x3C00, 0xC000, 0x0001, 0x7BFF, 0xFC00, 0x7E00}).to_double();
  EXPECT_EQ(half[0], 1.0);
  EXPECT_EQ(half[1], -2.0);
  EXPECT_EQ(half[2], 0x1p-24);
  EXPECT_EQ(half[3], 65504.0);
  EXPECT_EQ(half[4], -HUGE_VAL);
  EXPECT_TRUE(std::isnan(half[5]));
  EXPECT_EQ(from_bits(DType::bf16, {0x3F80, 0xC040}).to_float(), (std::vector<float>{1.0f, -3.0f}));
}

TEST(Tensor, RefusesValuesThatDoNotFillTheShape) {
  EXPECT_THROW(Tensor({2, 2}, std::vector<float>{1, 2, 3}), InputError);
  EXPECT_THROW(Tensor::zeros(DType::f32, {-1}), InputError);
}

}  // namespace
}  // namespace neuopt
