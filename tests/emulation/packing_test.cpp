// Weights packed as the kernels do, number by number, against those packed on the host.
#include "backends/cuda/packing.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/half.h"
#include "policy/random_model.h"

namespace neuopt::backends::cuda {
namespace {

void expect_same_weights(ProblemKind problem) {
  policy::Architecture architecture = policy::paper_architecture(problem);
  architecture.layers = 1;
  const policy::Model model = policy::random_model(architecture, 9);
  const PackingPlan plan = plan_packing(architecture);
  const PackedModel packed = pack_model(model);
  std::vector<std::uint8_t> found(plan.size, 0);
  for (const PackedNumber& number : plan.numbers) pack_number(number, model.weights.flat().data(), found.data());
  EXPECT_EQ(found, packed.bytes);
}

TEST(Packing, OnTheDeviceIsThatOfTheHost) {
  expect_same_weights(ProblemKind::tsp);
  expect_same_weights(ProblemKind::cvrp);
}

TEST(Packing, EveryNumberHasAPlaceOfItsOwn) {
  std::vector<PackedNumber> numbers = plan_packing(policy::paper_architecture(ProblemKind::cvrp)).numbers;
  std::sort(numbers.begin(), numbers.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const std::uint32_t size = numbers[i - 1].as == PackedNumber::As::single ? 4 : 2;
    ASSERT_LE(numbers[i - 1].at + size, numbers[i].at);
  }
}

TEST(Packing, PositionalScoresLieWhereTheHostPutsThem) {
  constexpr int kNodes = 21;  // two tiles, the second one padded
  const policy::Model model = policy::random_model(policy::paper_architecture(ProblemKind::tsp), 9);
  const std::vector<std::uint16_t> expected = pack_position_scores(model, kNodes);
  std::vector<float> scores(kHeads * kNodes * kNodes);
  for (int i = 0; i < static_cast<int>(scores.size()); ++i)
    scores[static_cast<std::size_t>(i)] =
        from_half(expected[position_place(kNodes, i / kNodes % kNodes, i % kNodes, i / (kNodes * kNodes))]);
  std::vector<std::uint16_t> found(expected.size(), 0);
  for (int i = 0; i < static_cast<int>(scores.size()); ++i)
    pack_position_score(i, kNodes, scores.data(), reinterpret_cast<__half*>(found.data()));
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace neuopt::backends::cuda
