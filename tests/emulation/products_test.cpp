#include "backends/cuda/products.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace neuopt::backends::cuda::products {
namespace {

template <class T>
std::vector<T> random_values(long count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<T> normal;
  std::vector<T> values;
  for (long i = 0; i < count; ++i) values.push_back(normal(random));
  return values;
}

template <class T>
T& at(const Strided<T>& matrix, int item, int row, int column) {
  return matrix.first[item * matrix.items + row * matrix.rows + column * matrix.columns];
}

template <class T>
void make_product(const ProductShape& shape, Strided<const T> x, Strided<const T> y, Strided<T> z, T keep) {
  for (int item = 0; item < shape.items; ++item)
    for (int row = 0; row < shape.rows; ++row)
      for (int column = 0; column < shape.columns; ++column) {
        T sum = 0;
        for (int k = 0; k < shape.inner; ++k) sum = std::fma(at(x, item, row, k), at(y, item, k, column), sum);
        T& to = at(z, item, row, column);
        to = keep == 0 ? sum : std::fma(keep, to, sum);
      }
}

/// To the last bit, in tiles of any size, with factors stored either way and rows with something between them.
template <class T, int kRows, int kColumns>
void check_product(const ProductShape& shape, bool transposed, T keep) {
  const long pitch = shape.inner + 3, wide = shape.columns + 5;
  const auto x = random_values<T>(shape.items * shape.rows * pitch, 1);
  const auto y = random_values<T>(shape.items * (transposed ? shape.columns * pitch : shape.inner * wide), 2);
  const auto before = random_values<T>(shape.items * shape.rows * wide, 3);
  auto expected = before;
  const Strided<const T> left{x.data(), pitch, 1, shape.rows * pitch};
  const Strided<const T> right = transposed ? Strided<const T>{y.data(), 1, pitch, shape.columns * pitch}
                                            : Strided<const T>{y.data(), wide, 1, shape.inner * wide};
  make_product<T>(shape, left, right, {expected.data(), wide, 1, shape.rows * wide}, keep);
  const dim3 grid((shape.rows + kRows - 1) / kRows, (shape.columns + kColumns - 1) / kColumns, shape.items);
  for (const unsigned schedule : {0u, 7u}) {
    auto found = before;
    const Strided<T> to{found.data(), wide, 1, shape.rows * wide};
    emulation::run(
        grid, kThreads, 0, [&] { multiply_tile<T, kRows, kColumns>(shape, left, right, to, keep); }, schedule);
    EXPECT_TRUE(found == expected) << kRows << " x " << kColumns << ", transposed: " << transposed;
  }
}

template <class T, int kRows, int kColumns>
void check_products() {
  for (const bool transposed : {false, true}) {
    check_product<T, kRows, kColumns>({1, kRows, kColumns, 32}, transposed, 0);
    check_product<T, kRows, kColumns>({2, kRows + 1, 2 * kColumns - 3, 21}, transposed, 1);
    check_product<T, kRows, kColumns>({3, 5, 7, 1}, transposed, T{0.5});
  }
}

TEST(Products, AreThoseOfTheirDefinitionToTheLastBit) {
  check_products<float, 128, 128>();
  check_products<float, 128, 32>();
  check_products<float, 64, 64>();
  check_products<double, 64, 64>();
}

}  // namespace
}  // namespace neuopt::backends::cuda::products
