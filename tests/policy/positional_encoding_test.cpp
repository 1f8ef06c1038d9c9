#include "policy/positional_encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "io/npz.h"

namespace neuopt::policy {
namespace {

TEST(PositionalEncoding, EqualsTheRecordedTables) {
  for (const char* name : {"tsp20_d32.npz", "cvrp20_d32.npz"}) {
    const Tensor recorded = NpzFile::open(std::string(NEUOPT_TEST_DATA "/golden/") + name).tensor("cpe");
    const std::vector<double> expected = recorded.to_double();
    const std::vector<double> actual =
        cyclic_positional_encoding(static_cast<int>(recorded.shape[0]), static_cast<int>(recorded.shape[1]));
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 1e-6) << name << " " << i;
  }
}

TEST(PositionalEncoding, EveryChannelHasMeanZero) {
  for (const int positions : {3, 7, 100, 1000}) {
    const std::vector<double> table = cyclic_positional_encoding(positions, 128);
    for (int channel = 0; channel < 128; ++channel) {
      double mean = 0;
      for (int p = 0; p < positions; ++p) mean += table[static_cast<std::size_t>(p) * 128 + channel] / positions;
      EXPECT_NEAR(mean, 0, 1e-12) << positions << " positions, channel " << channel;
    }
  }
}

TEST(PositionalEncoding, TellsPositionsApart) {
  const int positions = 100, dim = 128;
  const std::vector<double> table = cyclic_positional_encoding(positions, dim);
  for (int p = 0; p < positions; ++p)
    for (int q = 0; q < p; ++q) {
      double distance = 0;
      for (int c = 0; c < dim; ++c) distance += std::abs(table[p * dim + c] - table[q * dim + c]);
      EXPECT_GT(distance, 0.1) << p << " and " << q;
    }
}

TEST(PositionalEncoding, RefusesTooFewPositions) {
  EXPECT_THROW(cyclic_positional_encoding(2, 128), InputError);
  EXPECT_THROW(cyclic_positional_encoding(10, 1), InputError);
}

}  // namespace
}  // namespace neuopt::policy
