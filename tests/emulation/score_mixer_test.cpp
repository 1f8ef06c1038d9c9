#include "policy/score_mixer.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace neuopt::policy {
namespace {

struct Mixer {
  std::vector<float> weight1 = std::vector<float>(64), bias1 = std::vector<float>(8);
  std::vector<float> weight2 = std::vector<float>(32), bias2 = std::vector<float>(4);

  explicit Mixer(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (auto* numbers : {&weight1, &bias1, &weight2, &bias2})
      for (float& x : *numbers) x = __half2float(__float2half(0.5f * normal(random)));
  }
  MixerPointers pointers() const { return {weight1.data(), bias1.data(), weight2.data(), bias2.data()}; }

  /// The definition, for one pair.
  void mix(const float* products, const float* positions, float* result) const {
    for (int head = 0; head < 4; ++head) result[head] = bias2[head];
    for (int unit = 0; unit < 8; ++unit) {
      float hidden = bias1[unit];
      for (int x = 0; x < 4; ++x)
        hidden += weight1[unit * 8 + x] * products[x] + weight1[unit * 8 + 4 + x] * positions[x];
      for (int head = 0; head < 4; ++head) result[head] += weight2[head * 8 + unit] * std::fmax(hidden, 0.0f);
    }
  }
};

TEST(ScoreMixer, MixesEveryPairOfATileLikeItsDefinition) {
  const Mixer mixer(1);
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  float products[16][8][4], positions[16][8][4], mixed[16][8][4];
  for (auto* numbers : {&products, &positions})
    for (auto& row : *numbers)
      for (auto& pair : row)
        for (float& x : pair) x = __half2float(__float2half(normal(random)));
  emulation::run(dim3(1), 32, 0, [&] {
    const int lane = static_cast<int>(threadIdx.x), g = lane / 4, t = lane % 4;
    const ScoreMixer weights(mixer.pointers(), lane);
    TileC scores[4], position[4];
    for (int head = 0; head < 4; ++head)
      for (int i = 0; i < 4; ++i) {
        scores[head].value[i] = products[g + 8 * (i / 2)][2 * t + i % 2][head];
        position[head].value[i] = positions[g + 8 * (i / 2)][2 * t + i % 2][head];
      }
    weights.mix(scores, {own_numbers(position, 0), own_numbers(position, 1)});
    for (int head = 0; head < 4; ++head)
      for (int i = 0; i < 4; ++i) mixed[g + 8 * (i / 2)][2 * t + i % 2][head] = scores[head].value[i];
  });
  for (int row = 0; row < 16; ++row)
    for (int key = 0; key < 8; ++key) {
      float expected[4];
      mixer.mix(products[row][key], positions[row][key], expected);
      for (int head = 0; head < 4; ++head)
        EXPECT_NEAR(mixed[row][key][head], expected[head], 1e-2) << row << ' ' << key;
    }
}

}  // namespace
}  // namespace neuopt::policy
