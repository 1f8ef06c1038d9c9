#include "device/score_mixer.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace neuopt {
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

/// Numbers of all pairs of a tile: 16 queries, 8 keys, 4 heads.
struct Tile {
  float of[16][8][4];

  Tile() = default;
  explicit Tile(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (auto& row : of)
      for (auto& pair : row)
        for (float& x : pair) x = __half2float(__float2half(normal(random)));
  }

  /// What a lane holds of it, and the reverse.
  void load(int lane, TileC (&heads)[4]) const {
    for (int head = 0; head < 4; ++head)
      for (int i = 0; i < 4; ++i) heads[head].value[i] = of[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2][head];
  }
  void store(int lane, const TileC (&heads)[4]) {
    for (int head = 0; head < 4; ++head)
      for (int i = 0; i < 4; ++i) of[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2][head] = heads[head].value[i];
  }
};

/// Runs mix(lane, scores) on all lanes, and compares with the definition.
template <class Mix>
void expect_mixed(const Mixer& mixer, const Tile& products, const Tile& positions, Mix&& mix) {
  Tile mixed;
  emulation::run(dim3(1), 32, 0, [&] {
    const int lane = static_cast<int>(threadIdx.x);
    TileC scores[4];
    products.load(lane, scores);
    mix(lane, scores);
    mixed.store(lane, scores);
  });
  for (int row = 0; row < 16; ++row)
    for (int key = 0; key < 8; ++key) {
      float expected[4];
      mixer.mix(products.of[row][key], positions.of[row][key], expected);
      for (int head = 0; head < 4; ++head)
        EXPECT_NEAR(mixed.of[row][key][head], expected[head], 1e-2) << row << ' ' << key;
    }
}

TEST(ScoreMixer, MixesEveryPairOfATileLikeItsDefinition) {
  const Mixer mixer(1);
  const Tile products(2), positions(3);
  expect_mixed(mixer, products, positions, [&](int lane, TileC(&scores)[4]) {
    TileC position[4];
    positions.load(lane, position);
    ScoreMixer(mixer.pointers(), lane).mix(scores, {own_numbers(position, 0), own_numbers(position, 1)});
  });
}

TEST(JointMixer, MixesEveryPairOfATileLikeItsDefinition) {
  const Mixer mixer(1);
  const Tile products(2), positions(3);
  expect_mixed(mixer, products, positions, [&](int lane, TileC(&scores)[4]) {
    TileC position[4], start[2];
    positions.load(lane ^ 1, position);
    start_outputs(mixer.bias2.data(), start);
    JointMixer(mixer.pointers(), lane).mix(scores, {own_numbers(position, 0), own_numbers(position, 1)}, start);
  });
}

}  // namespace
}  // namespace neuopt
