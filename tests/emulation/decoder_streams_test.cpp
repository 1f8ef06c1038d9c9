// The streams of the half-precision decoder against the reference.
#include "backends/cuda/decoder_streams.cuh"

#include <gtest/gtest.h>

#include <random>

#include "backends/reference/gru.h"
#include "policy/random_model.h"
#include "support/difference.h"

namespace neuopt::backends::cuda::decoder {
namespace {

using reference::linear;
using reference::Vector;

constexpr int kNodes = 7;
constexpr int kCopies = 40;  // neither the last block nor its last tile is full
constexpr double kTolerance = 3e-3;

/// Random embeddings and inputs, and what the kernel makes of them.
struct Searches {
  std::vector<__half> embeddings = std::vector<__half>(kCopies * kNodes * kDim);
  std::vector<float> mean = std::vector<float>(kCopies * kDim);
  std::vector<float> states = std::vector<float>(kCopies * 2 * kDim);
  std::vector<float> queries = std::vector<float>(kCopies * kKeyWidth);
  std::vector<std::int32_t> inputs[2] = {std::vector<std::int32_t>(kCopies), std::vector<std::int32_t>(kCopies)};

  Searches() {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (__half& x : embeddings) x = __float2half(normal(random));
    for (float& x : mean) x = normal(random);
    for (auto& positions : inputs)
      for (std::int32_t& position : positions) position = static_cast<std::int32_t>(random() % kNodes);
  }
};

template <int kRowTiles, int kWarps>
void advance(const policy::Model& model, Searches& searches, int k) {
  using Block = StreamBlock<kRowTiles, kWarps>;
  const PackedModel packed = pack_model(model);
  std::vector<uint4> weights(packed.bytes.size() / sizeof(uint4) + 1);  // aligned
  std::memcpy(weights.data(), packed.bytes.data(), packed.bytes.size());
  DeviceModel device{};
  device.at = packed.at;
  device.bytes = reinterpret_cast<const std::uint8_t*>(weights.data());
  const NetworkBuffers buffers{kCopies,
                               kNodes,
                               nullptr,
                               nullptr,
                               searches.embeddings.data(),
                               nullptr,
                               searches.mean.data(),
                               searches.states.data(),
                               searches.queries.data(),
                               searches.inputs[0].data(),
                               searches.inputs[1].data()};
  const dim3 grid((kCopies + Block::kRows - 1) / Block::kRows, 2);
  emulation::run(grid, Block::kThreads, sizeof(typename Block::Shared), [&] {
    auto& shared = *static_cast<typename Block::Shared*>(emulation::shared_memory());
    const int thread = static_cast<int>(threadIdx.x);
    advance_block(Block{device, buffers, shared, static_cast<int>(blockIdx.y),
                        static_cast<int>(blockIdx.x) * Block::kRows, thread % 32, thread / 32},
                  k);
  });
}

/// The states and queries of a stream after two steps.
struct Expected {
  Vector state, additive, multiplicative;
};

Expected expected_of(const policy::Model& model, const Searches& searches, int copy, int stream) {
  const std::string number = std::to_string(stream + 1), other = std::to_string(stream + 3);
  const auto begin = searches.mean.begin() + copy * kDim;
  const Vector mean(begin, begin + kDim);
  Vector state =
      linear(mean, model.weights["decoder.init_hidden_W.weight"], model.weights["decoder.init_hidden_W.bias"]);
  const auto learned = model.weights["decoder.init_query_learnable"];
  state = reference::gru_cell(model, "decoder.rnn" + number, Vector(learned.begin(), learned.end()), state);
  Vector input(kDim);
  const int row = copy * kNodes + searches.inputs[stream][static_cast<std::size_t>(copy)];
  for (int c = 0; c < kDim; ++c)
    input[static_cast<std::size_t>(c)] = __half2float(searches.embeddings[static_cast<std::size_t>(row * kDim + c)]);
  state = reference::gru_cell(model, "decoder.rnn" + number, input, state);
  return {state, linear(state, model.weights["decoder.linear_Q" + number + ".weight"]),
          linear(state, model.weights["decoder.linear_Q" + other + ".weight"])};
}

double largest_difference(const Vector& expected, const float* found) {
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, test::difference(expected[i], static_cast<double>(found[i])));
  return largest;
}

template <int kRowTiles, int kWarps>
void expect_like_reference() {
  const policy::Model model = policy::random_model(policy::paper_architecture(ProblemKind::tsp), 5);
  Searches searches;
  advance<kRowTiles, kWarps>(model, searches, 0);
  advance<kRowTiles, kWarps>(model, searches, 1);
  for (int copy = 0; copy < kCopies; ++copy)
    for (int stream = 0; stream < 2; ++stream) {
      const Expected expected = expected_of(model, searches, copy, stream);
      const float* query = searches.queries.data() + copy * kKeyWidth + stream * 2 * kDim;
      EXPECT_LT(largest_difference(expected.state, searches.states.data() + (copy * 2 + stream) * kDim), kTolerance);
      EXPECT_LT(largest_difference(expected.additive, query), kTolerance) << copy;
      EXPECT_LT(largest_difference(expected.multiplicative, query + kDim), kTolerance) << copy;
    }
}

TEST(DecoderStreams, FollowTheReferenceWithFewSearchesToABlock) { expect_like_reference<1, 8>(); }
TEST(DecoderStreams, FollowTheReferenceWithManySearchesToABlock) { expect_like_reference<2, 8>(); }
TEST(DecoderStreams, FollowTheReferenceWithMoreWarps) { expect_like_reference<4, 16>(); }

}  // namespace
}  // namespace neuopt::backends::cuda::decoder
