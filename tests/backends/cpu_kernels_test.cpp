// The kernels of every instruction set of this processor against plain loops in double, at sizes that fit nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "backends/cpu/kernel_math.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/packed_matrix.h"
#include "core/error.h"
#include "core/philox.h"

namespace neuopt::backends::cpu {
namespace {

class CpuKernels : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    try {
      kernels_ = &kernels_for(GetParam());
    } catch (const ResourceError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  float random() { return 2 * uniform_float(Random{5}.words(Draw::test, counter_++, 0, 0, 0).word[0]) - 1; }
  AlignedFloats random(int count, float scale = 1) {
    AlignedFloats values(static_cast<std::size_t>(count));
    for (float& value : values) value = scale * random();
    return values;
  }
  PackedMatrix random_matrix(int inner, int columns) {
    PackedMatrix matrix(inner, columns);
    matrix.fill(0, 0, inner, columns, [&](int, int) { return random(); });
    return matrix;
  }

  const Kernels* kernels_ = nullptr;
  std::uint32_t counter_ = 0;
};

TEST_P(CpuKernels, Matmul) {
  for (const int rows : {1, 2, 3, 5, 7, 12, 13, 25, 31})
    for (const int inner : {2, 6, 34})
      for (const int columns : {32, 96}) {
        const int stride = inner + 3;
        const AlignedFloats a = random(rows * stride);
        PackedMatrix b = random_matrix(inner, columns);
        b.bias = random(columns);
        const AlignedFloats before = random(rows * columns);
        for (const bool accumulate : {false, true}) {
          AlignedFloats c = before;
          Matmul product = cpu::product(a.data(), stride, rows, b, c.data(), columns);
          product.accumulate = accumulate;
          product.relu = !accumulate;
          kernels_->matmul(product);
          for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) {
              double expected = b.bias[j] + (accumulate ? before[i * columns + j] : 0.0f);
              for (int k = 0; k < inner; ++k) expected += static_cast<double>(a[i * stride + k]) * b.at(k, j);
              if (!accumulate) expected = std::max(expected, 0.0);
              ASSERT_NEAR(c[i * columns + j], expected, 1e-5) << rows << " " << inner << " " << columns;
            }
        }
      }
}

TEST_P(CpuKernels, MatmulIntoBlocksAndRowByRowGivesTheSameBits) {
  const int rows = 29, inner = 18, columns = 128;
  const AlignedFloats a = random(rows * inner);
  const PackedMatrix b = random_matrix(inner, columns);
  AlignedFloats whole(rows * columns), blocks(rows * columns), row(columns);
  kernels_->matmul(product(a.data(), inner, rows, b, whole.data(), columns));
  Matmul apart = product(a.data(), inner, rows, b, blocks.data(), 64);
  apart.c_block_panels = 2;
  apart.c_block_stride = rows * 64;
  kernels_->matmul(apart);
  for (int i = 0; i < rows; ++i) {
    kernels_->matmul(product(a.data() + i * inner, inner, 1, b, row.data(), columns));
    for (int j = 0; j < columns; ++j) {
      ASSERT_EQ(whole[i * columns + j], row[j]);
      ASSERT_EQ(whole[i * columns + j], blocks[j / 64 * rows * 64 + i * 64 + j % 64]);
    }
  }
}

TEST_P(CpuKernels, MatmulInBf16) {
  if (kernels_->matmul_half == nullptr) GTEST_SKIP() << "no bf16 products with " << kernels_->name;
  const auto rounded = [](float value) {  // to bf16, ties to even
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u);
  };
  for (const int rows : {1, 15, 16, 17, 31, 33, 50})
    for (const int inner : {32, 96})
      for (const bool accumulate : {false, true}) {
        const int columns = 64;
        const AlignedFloats a = random(rows * inner), before = random(rows * columns);
        PackedMatrix b = random_matrix(inner, columns);
        b.bias = random(columns);
        b.round_to_half();
        AlignedVector<std::uint16_t> half(static_cast<std::size_t>(round_up(rows, 16)) * inner);
        AlignedFloats c = before;
        Matmul product = cpu::product(a.data(), inner, rows, b, c.data(), columns);
        product.a_half = half.data();
        product.accumulate = accumulate;
        product.relu = !accumulate;
        kernels_->matmul_half(product);
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) {
            double expected = b.bias[j] + (accumulate ? before[i * columns + j] : 0.0f);
            for (int k = 0; k < inner; ++k)
              expected += static_cast<double>(rounded(a[i * inner + k])) * rounded(b.at(k, j));
            if (!accumulate) expected = std::max(expected, 0.0);
            ASSERT_NEAR(c[i * columns + j], expected, 2e-5) << rows << " " << inner;
          }
      }
}

/// One attention layer in plain loops.
std::vector<double> plain_attention(const Attention& at, const std::vector<float>& positional) {
  const int n = at.nodes, heads = at.heads, width = at.head_width;
  std::vector<double> out(static_cast<std::size_t>(n) * heads * width, 0.0);
  std::vector<double> mixed(static_cast<std::size_t>(heads) * n);
  for (int p = 0; p < n; ++p) {
    for (int q = 0; q < n; ++q) {
      std::vector<double> hidden(at.hidden_bias, at.hidden_bias + 2 * heads);
      for (int h = 0; h < heads; ++h) {
        double score = 0;
        for (int c = 0; c < width; ++c)
          score +=
              static_cast<double>(at.query[(h * n + p) * width + c]) * at.key[(h * width + c) * at.padded_nodes + q];
        for (int j = 0; j < 2 * heads; ++j)
          hidden[j] += at.hidden_weights[j * heads + h] * score +
                       at.positional_weights[j * heads + h] * positional[(p * heads + h) * at.padded_nodes + q];
      }
      for (int h = 0; h < heads; ++h) {
        double sum = 0;
        for (int j = 0; j < 2 * heads; ++j) sum += at.output_weights[j * heads + h] * std::max(hidden[j], 0.0);
        mixed[h * n + q] = std::exp2(sum);
      }
    }
    for (int h = 0; h < heads; ++h) {
      double total = 0;
      for (int q = 0; q < n; ++q) total += mixed[h * n + q];
      for (int q = 0; q < n; ++q)
        for (int c = 0; c < width; ++c)
          out[(p * heads + h) * width + c] += mixed[h * n + q] / total * at.value[(h * n + q) * width + c];
    }
  }
  return out;
}

TEST_P(CpuKernels, AttentionWithAndWithoutAFoldedTable) {
  for (const int heads : {1, 3, 4})
    for (const int nodes : {4, 15, 16, 17, 29}) {
      const int padded = round_up(nodes, kBlock), width = kPanel;
      const AlignedFloats query = random(heads * nodes * width), key = random(heads * width * padded);
      const AlignedFloats value = random(heads * nodes * width), positional = random(nodes * heads * padded, 3);
      const AlignedFloats in = random(2 * heads * heads), at_positions = random(2 * heads * heads);
      const AlignedFloats bias = random(2 * heads), output = random(2 * heads * heads);
      AlignedFloats folded(static_cast<std::size_t>(nodes) * 2 * heads * padded);
      for (int p = 0; p < nodes; ++p)
        for (int q = 0; q < padded; ++q)
          for (int j = 0; j < 2 * heads; ++j) {
            float sum = bias[j];
            for (int h = 0; h < heads; ++h)
              sum += at_positions[j * heads + h] * positional[(p * heads + h) * padded + q];
            folded[((p * padded + q) / kBlock * 2 * heads + j) * kBlock + q % kBlock] = sum;
          }
      AlignedFloats scratch(static_cast<std::size_t>(attention_scratch(padded, heads)));
      AlignedFloats out(static_cast<std::size_t>(nodes) * heads * width);
      Attention at{nodes,         padded,         heads,     width,     query.data(),        key.data(),
                   value.data(),  folded.data(),  nullptr,   in.data(), at_positions.data(), bias.data(),
                   output.data(), scratch.data(), out.data()};
      const std::vector<double> expected = plain_attention(at, {positional.begin(), positional.end()});
      for (const bool fold : {true, false}) {
        at.folded = fold ? folded.data() : nullptr;
        at.positional = fold ? nullptr : positional.data();
        std::fill(out.begin(), out.end(), 0.0f);
        kernels_->attention(at);
        for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 1e-5) << heads << " " << nodes;
      }
    }
}

TEST_P(CpuKernels, AttentionBeyondTheRangeOfPowers) {
  const int heads = 4, nodes = 21, padded = 32, width = kPanel;
  const AlignedFloats query = random(heads * nodes * width), key = random(heads * width * padded);
  const AlignedFloats value = random(heads * nodes * width), positional(nodes * heads * padded, 0.0f);
  AlignedFloats in = random(2 * heads * heads), bias(2 * heads, 0.0f), output = random(2 * heads * heads);
  const AlignedFloats at_positions(2 * heads * heads, 0.0f);
  // The first hidden unit is the same for all pairs: it moves the scores of each head and changes no weight.
  std::fill_n(in.begin(), heads, 0.0f);
  bias[0] = 1;
  AlignedFloats scratch(static_cast<std::size_t>(attention_scratch(padded, heads)));
  AlignedFloats out(static_cast<std::size_t>(nodes) * heads * width);
  const Attention at{nodes,
                     padded,
                     heads,
                     width,
                     query.data(),
                     key.data(),
                     value.data(),
                     nullptr,
                     positional.data(),
                     in.data(),
                     at_positions.data(),
                     bias.data(),
                     output.data(),
                     scratch.data(),
                     out.data()};
  for (const float shift : {-700.0f, -130.0f, -70.0f, 70.0f, 130.0f, 700.0f}) {
    std::copy_n(std::array<float, 4>{shift, -shift, 0, shift / 2}.begin(), heads, output.begin());
    const std::vector<double> expected = plain_attention(at, {positional.begin(), positional.end()});
    kernels_->attention(at);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], expected[i], 2e-4) << shift;
  }
}

TEST_P(CpuKernels, NodeScores) {
  const int nodes = 11, width = 64;
  const AlignedFloats keys = random(nodes * 4 * width, 3), queries = random(4 * width, 3), v = random(2 * width);
  const std::vector<int> rows = {0, 3, 4, 10};
  std::vector<float> out(rows.size());
  kernels_->node_scores({keys.data(),
                         {queries.data(), queries.data() + 2 * width},
                         v.data(),
                         width,
                         rows.data(),
                         static_cast<int>(rows.size()),
                         out.data()});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double expected = 0;
    for (int s = 0; s < 2; ++s)
      for (int c = 0; c < width; ++c) {
        const float* key = keys.data() + rows[i] * 4 * width + 2 * s * width;
        const float* query = queries.data() + 2 * s * width;
        const double sum = key[c] + query[c] + static_cast<double>(key[width + c]) * query[width + c];
        expected += v[s * width + c] * std::tanh(sum / kTanhScale);
      }
    EXPECT_NEAR(out[i], expected, 2e-5);
  }
}

TEST_P(CpuKernels, NormalizeLeavesThePaddingAlone) {
  const int rows = 7, columns = 21, stride = 32;
  AlignedFloats x = random(rows * stride, 5);
  for (float& value : x) value += 3;
  const AlignedFloats before = x;
  kernels_->normalize(x.data(), stride, rows, columns);
  double mean = 0, squares = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) mean += before[i * stride + j] / (1.0 * rows * columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) squares += std::pow(before[i * stride + j] - mean, 2);
  const double factor = 1 / std::sqrt(squares / (rows * columns - 1) + 1e-5);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < stride; ++j)
      if (j < columns)
        EXPECT_NEAR(x[i * stride + j], (before[i * stride + j] - mean) * factor, 2e-6);
      else
        EXPECT_EQ(x[i * stride + j], before[i * stride + j]);
}

TEST_P(CpuKernels, Transpose) {
  const int rows = 21, columns = 32, padded = 32;
  const AlignedFloats in = random(padded * columns);
  AlignedFloats out(static_cast<std::size_t>(columns) * padded);
  kernels_->transpose(in.data(), columns, rows, columns, out.data(), padded);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) ASSERT_EQ(out[j * padded + i], in[i * columns + j]);
}

TEST_P(CpuKernels, ColumnSumsAndGru) {
  const int rows = 9, width = 32;
  const AlignedFloats x = random(rows * width);
  AlignedFloats sums(width);
  kernels_->column_sums(x.data(), width, rows, width, sums.data());
  const AlignedFloats input = random(3 * width, 4), recurrent = random(3 * width, 4);
  AlignedFloats hidden = random(width);
  const AlignedFloats before = hidden;
  kernels_->gru(input.data(), recurrent.data(), width, hidden.data());
  const auto sigmoid = [](double value) { return 1 / (1 + std::exp(-value)); };
  for (int c = 0; c < width; ++c) {
    double sum = 0;
    for (int i = 0; i < rows; ++i) sum += x[i * width + c];
    EXPECT_NEAR(sums[c], sum, 1e-5);
    const double reset = sigmoid(input[c] + recurrent[c]), update = sigmoid(input[width + c] + recurrent[width + c]);
    const double fresh = std::tanh(input[2 * width + c] + reset * recurrent[2 * width + c]);
    EXPECT_NEAR(hidden[c], (1 - update) * fresh + update * before[c], 1e-6);
  }
}

TEST_P(CpuKernels, TanhAndExponentials) {
  std::vector<float> x;
  for (int i = -1203; i <= 1204; ++i) x.push_back(static_cast<float>(i) / 40);
  std::vector<float> tanh = x, power = x;
  kernels_->tanh(tanh.data(), static_cast<int>(tanh.size()));
  const float sum = kernels_->exponentials(power.data(), static_cast<int>(power.size()));
  double expected_sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(tanh[i], std::tanh(x[i]), 3e-7) << x[i];
    const double expected = std::exp(static_cast<double>(x[i]) - x.back());
    const double distance = static_cast<double>(x.back()) - x[i];  // its rounding is a relative error of the power
    EXPECT_NEAR(power[i] / expected, 1.0, 2e-7 * (1 + distance)) << x[i];
    expected_sum += expected;
  }
  EXPECT_NEAR(sum / expected_sum, 1.0, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, CpuKernels, ::testing::Values("avx512", "avx2", "plain"),
                         [](const auto& set) { return std::string(set.param); });

TEST(CpuKernelTable, UnknownNamesAreRefused) { EXPECT_THROW(kernels_for("sse9"), InputError); }

}  // namespace
}  // namespace neuopt::backends::cpu
