// The half-precision layout of the weights, on the host.
#if defined(NEUOPT_WITH_CUDA)
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "backends/cuda/packed_model.h"
#include "core/half.h"
#include "policy/random_model.h"

namespace neuopt::backends::cuda {
namespace {

/// Element (k, n) as lane g * 4 + t of the tensor cores' B operand holds it: with k = 16 step + 8 part + 2 t + low, the
/// value lies in word 2 (step % 2) + part of the lane's 16 bytes for output tile n / 8 and pair step / 2.
float element_at(const PackedModel& packed, std::size_t offset, int inputs, int k, int n) {
  const int step = k / 16, part = k % 16 / 8, t = k % 8 / 2, low = k % 2;
  const int lane = n % 8 * 4 + t;
  const int pair = step / 2, word = 2 * (step % 2) + part;
  const auto quads = static_cast<std::size_t>(((n / 8) * (inputs / 32) + pair) * 32 + lane);
  std::uint16_t half = 0;
  std::memcpy(&half, packed.bytes.data() + offset + quads * 16 + static_cast<std::size_t>(4 * word + 2 * low), 2);
  return from_half(half);
}

/// The same where the matrix is read from shared memory: blocks of 8 outputs with 8 inputs each.
float staged_at(const PackedModel& packed, std::size_t offset, int k, int n) {
  const auto row = static_cast<std::size_t>((n / 8 * (kDim / 8) + k / 8) * 8 + n % 8);
  std::uint16_t half = 0;
  std::memcpy(&half, packed.bytes.data() + offset + row * 16 + static_cast<std::size_t>(k % 8 * 2), 2);
  return from_half(half);
}

float rounded(float value) { return from_half(to_half(value)); }

TEST(CudaPacking, MatricesLieAsTheTensorCoresReadThem) {
  const policy::Model model = policy::random_model(policy::paper_architecture(ProblemKind::cvrp), 3);
  const PackedModel packed = pack_model(model);
  const auto query = model.weights["encoder.1.MHA_sublayer.MHA.W_query"];          // (H, d, head_dim)
  const auto output = model.weights["encoder.1.MHA_sublayer.MHA.W_out"];           // (d, d) inputs by outputs
  const auto forward = model.weights["encoder.2.FFandNorm_sublayer.FF.0.weight"];  // (outputs, inputs)
  const auto query1 = model.weights["decoder.linear_Q1.weight"];
  const auto key3 = model.weights["decoder.linear_K3.weight"];
  for (int k = 0; k < kDim; ++k)
    for (int n = 0; n < kDim; ++n) {
      const auto at = [&](int row, int column) { return static_cast<std::size_t>(row * kDim + column); };
      const auto head = static_cast<std::size_t>((n / kHeadDim * kDim + k) * kHeadDim + n % kHeadDim);
      ASSERT_EQ(staged_at(packed, packed.at.layer[1].query, k, n), rounded(query[head]));
      ASSERT_EQ(staged_at(packed, packed.at.layer[1].output, k, n), rounded(output[at(k, n)]));
      ASSERT_EQ(staged_at(packed, packed.at.layer[2].feed_forward1, k, n), rounded(forward[at(n, k)]));
      ASSERT_EQ(element_at(packed, packed.at.stream[0].queries, kDim, k, n), rounded(query1[at(n, k)]));
      const int column = column_side_by_side(n);
      ASSERT_EQ(staged_at(packed, packed.at.decoder_keys, k, kDim + n), rounded(key3[at(column, k)]));
    }
}

TEST(CudaPacking, ALaneHoldsEightNeighboursOfMatricesPackedSideBySide) {
  for (int lane = 0; lane < 4; ++lane)
    for (int i = 0; i < 8; ++i) EXPECT_EQ(column_side_by_side(32 + i / 2 * 8 + 2 * lane + i % 2), 32 + 8 * lane + i);
}

TEST(CudaPacking, TheFirstLayerSplitsItsWeights) {
  const policy::Model model = policy::random_model(policy::paper_architecture(ProblemKind::cvrp), 3);
  const PackedModel packed = pack_model(model);
  const auto weight = model.weights["embedder.embedder.0.weight"];  // (d/2, 8)
  for (int n = 0; n < kEmbedHidden; ++n)
    for (int f = 0; f < 8; ++f) {
      const float value = weight[static_cast<std::size_t>(n * 8 + f)];
      const float high = element_at(packed, packed.at.embed1, 32, f, n);
      EXPECT_EQ(high, rounded(value));
      EXPECT_EQ(element_at(packed, packed.at.embed1, 32, 8 + f, n), high);
      EXPECT_NEAR(high + element_at(packed, packed.at.embed1, 32, 16 + f, n), value, 1e-6);
      EXPECT_EQ(element_at(packed, packed.at.embed1, 32, 24 + f, n), 0);
    }
}

TEST(CudaPacking, OffsetsAreAligned) {
  for (const ProblemKind problem : kProblemKinds) {
    const PackedModel packed = pack_model(policy::random_model(policy::paper_architecture(problem), 1));
    std::vector<std::size_t> offsets(sizeof(PackedOffsets) / sizeof(std::size_t));
    std::memcpy(offsets.data(), &packed.at, sizeof(PackedOffsets));
    for (const std::size_t offset : offsets) {
      EXPECT_EQ(offset % 16, 0u);
      EXPECT_LT(offset, packed.bytes.size());
    }
  }
}

TEST(CudaPacking, OnlyThePapersNetworkIsPacked) {
  const policy::Architecture paper = policy::paper_architecture(ProblemKind::tsp);
  EXPECT_TRUE(packed_supported(paper));
  policy::Architecture other = paper;
  other.dim = 64;
  EXPECT_FALSE(packed_supported(other));
  other = paper;
  other.recurrent = false;
  EXPECT_FALSE(packed_supported(other));
  other = paper;
  other.edge_stream = false;
  EXPECT_FALSE(packed_supported(other));
}

}  // namespace
}  // namespace neuopt::backends::cuda
#endif
