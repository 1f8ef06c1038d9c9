// The half-precision encoder against the reference.
#include "backends/reference/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <numeric>
#include <random>

#include "backends/cuda/encoder_block.cuh"
#include "policy/random_model.h"
#include "support/difference.h"

namespace neuopt::backends::cuda {
namespace {

using reference::Matrix;
using Block = encoder::Block<2>;
using LargeBlock = encoder::LargeBlock<2>;
using encoder::FrugalBlock;
using encoder::LongBlock;
using encoder::LongestBlock;

/// What the encoder computes, of all copies.
struct Encoded {
  std::vector<__half> embeddings, keys;
  std::vector<float> mean;
};

/// By two blocks that work on `slots` instances at a time.
template <class Shared, bool kAllTakePart>
Encoded encode(const policy::Model& model, int nodes, int copies, int slots, const std::vector<float>& features) {
  const PackedModel packed = pack_model(model);
  const std::vector<std::uint16_t> position = pack_position_scores(model, nodes);
  std::vector<uint4> weights(packed.bytes.size() / sizeof(uint4) + 1);  // aligned
  std::memcpy(weights.data(), packed.bytes.data(), packed.bytes.size());
  std::vector<uint4> positions(position_bytes(nodes) / sizeof(uint4));
  std::memcpy(positions.data(), position.data(), position_bytes(nodes));
  const auto rows = static_cast<std::size_t>(copies * nodes);
  Encoded result{std::vector<__half>(rows * kDim), std::vector<__half>(rows * kKeyWidth),
                 std::vector<float>(static_cast<std::size_t>(copies * kDim))};
  const DeviceModel device{packed.at,
                           reinterpret_cast<const std::uint8_t*>(weights.data()),
                           model.architecture.layers,
                           model.architecture.features(),
                           model.architecture.exploration_features,
                           positions.data()};
  NetworkBuffers buffers{};
  buffers.copies = copies;
  buffers.nodes = nodes;
  buffers.features = features.data();
  buffers.embeddings = result.embeddings.data();
  buffers.keys = result.keys.data();
  buffers.mean = result.mean.data();
  emulation::run(dim3(2), Shared::kThreads, encoder::shared_bytes<Shared>(nodes), [&] {
    encoder::encode_block<Shared, kAllTakePart>(device, buffers, slots,
                                                static_cast<unsigned char*>(emulation::shared_memory()));
  });
  return result;
}

/// The decoder's keys as the encoder lays them out: K1, K3, K2, K4 side by side.
Matrix reference_keys(const policy::Model& model, const Matrix& embeddings) {
  Matrix keys(embeddings.rows, kKeyWidth);
  const char* names[] = {"K1", "K3", "K2", "K4"};
  for (int part = 0; part < 4; ++part) {
    const Matrix one = linear(embeddings, model.weights["decoder.linear_" + std::string(names[part]) + ".weight"]);
    for (int row = 0; row < embeddings.rows; ++row)
      for (int c = 0; c < kDim; ++c) keys(row, part * kDim + c) = one(row, c);
  }
  return keys;
}

double largest_difference(const Matrix& expected, const __half* found) {
  double largest = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    largest = std::max(largest, test::difference(expected.values[i], static_cast<double>(__half2float(found[i]))));
  return largest;
}

std::vector<float> random_features(const policy::Model& model, int rows) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform;
  std::vector<float> features(static_cast<std::size_t>(rows * model.architecture.features()));
  for (float& x : features) x = uniform(random);
  return features;
}

/// slots: 0 for as many as fit.
template <class Shared, bool kAllTakePart = false>
void expect_like_reference(const policy::Model& model, int nodes, int copies, double tolerance, int slots = 0) {
  if (slots == 0) slots = encoder::slots_of(Shared::kWarps, nodes);
  const int width = model.architecture.features();
  const std::vector<float> features = random_features(model, copies * nodes);
  const Encoded found = encode<Shared, kAllTakePart>(model, nodes, copies, slots, features);
  const reference::Encoder encoder(model, nodes);
  std::vector<int> position(static_cast<std::size_t>(nodes));
  std::iota(position.begin(), position.end(), 0);
  for (int copy = 0; copy < copies; ++copy) {
    const auto row = static_cast<std::size_t>(copy * nodes), count = static_cast<std::size_t>(nodes * width);
    const Matrix embeddings =
        encoder.encode({features.data() + row * static_cast<std::size_t>(width), count}, position);
    EXPECT_LT(largest_difference(embeddings, found.embeddings.data() + row * kDim), tolerance) << copy;
    EXPECT_LT(largest_difference(reference_keys(model, embeddings), found.keys.data() + row * kKeyWidth), tolerance)
        << copy;
    for (int c = 0; c < kDim; ++c) {
      double mean = 0;
      for (int i = 0; i < nodes; ++i) mean += embeddings(i, c) / nodes;
      EXPECT_NEAR(found.mean[static_cast<std::size_t>(copy * kDim + c)], mean, tolerance) << copy << ' ' << c;
    }
  }
}

policy::Model small_model(ProblemKind problem, int layers) {
  policy::Architecture architecture = policy::paper_architecture(problem);
  architecture.layers = layers;
  return policy::random_model(architecture, 5);
}

TEST(Encoder, FollowsTheReferenceWithSeveralInstancesToABlock) {
  expect_like_reference<Block>(small_model(ProblemKind::tsp, 2), 20, 5, 6e-3);  // the last block is not full
}

TEST(Encoder, FollowsTheReferenceWithPaddedRowsAndEightFeatures) {
  expect_like_reference<Block>(small_model(ProblemKind::cvrp, 3), 30, 2, 6e-3);
}

TEST(Encoder, FollowsTheReferenceWithAnInstanceOfManyTiles) {
  expect_like_reference<Block>(small_model(ProblemKind::tsp, 2), 50, 2, 6e-3);
}

TEST(Encoder, FollowsTheReferenceInALargeBlock) {
  expect_like_reference<LargeBlock>(small_model(ProblemKind::tsp, 2), 70, 3, 6e-3);  // with warps to spare
}

TEST(Encoder, FollowsTheReferenceWithFewerInstancesThanFit) {
  expect_like_reference<LargeBlock>(small_model(ProblemKind::tsp, 1), 20, 5, 6e-3, 2);  // of six
}

TEST(Encoder, FollowsTheReferenceWhenWarpsWithoutAnInstanceTakePart) {
  expect_like_reference<LargeBlock, true>(small_model(ProblemKind::tsp, 2), 70, 3, 6e-3);
}

/// Where the rows that wait during the attention fill the place of the keys to the last number.
TEST(Encoder, FollowsTheReferenceWithTheFewestNodes) {
  expect_like_reference<Block>(small_model(ProblemKind::tsp, 2), kMinNodes, 11, 6e-3);
}

TEST(Encoder, FollowsTheReferenceWithLittleSharedMemory) {
  expect_like_reference<FrugalBlock>(small_model(ProblemKind::cvrp, 1), 30, 3, 6e-3);
}

TEST(Encoder, FollowsTheReferenceWithMoreThan128Nodes) {
  expect_like_reference<LongBlock>(small_model(ProblemKind::tsp, 1), 140, 1, 6e-3);
}

TEST(Encoder, FollowsTheReferenceWithMoreThan192Nodes) {
  expect_like_reference<LongestBlock>(small_model(ProblemKind::cvrp, 1), 200, 1, 6e-3);
}

/// How far a row's largest score in the first layer lies above the largest of its first 16 keys, in powers of 2.
double largest_rise(const policy::Model& model, int nodes, const std::vector<float>& features) {
  std::vector<int> position(static_cast<std::size_t>(nodes));
  std::iota(position.begin(), position.end(), 0);
  double rise = 0;
  for (const Matrix& scores : reference::Encoder(model, nodes).first_layer_scores(features, position))
    for (int row = 0; row < nodes; ++row) {
      const auto keys = scores.row(row);
      const double first = *std::max_element(keys.begin(), keys.begin() + 16);
      rise = std::max(rise, (*std::max_element(keys.begin(), keys.end()) - first) * std::numbers::log2e);
    }
  return rise;
}

TEST(Encoder, ScoresFarAboveTheFirstOnesDoNotOverflow) {
  constexpr int kNodes = 34;
  policy::Model model = small_model(ProblemKind::tsp, 1);
  for (float& weight : model.weights["encoder.0.MHA_sublayer.MHA.score_aggr.2.weight"]) weight *= 200;
  const std::vector<float> features = random_features(model, kNodes);
  ASSERT_GT(largest_rise(model, kNodes, features), 1 + encoder::kHeadroom);
  expect_like_reference<Block>(model, kNodes, 1, 5e-2);  // such scores magnify the rounding of their inputs
}

}  // namespace
}  // namespace neuopt::backends::cuda
