// Where kernels find the weights of the perceptron that mixes attention scores.
#pragma once

namespace neuopt::policy {

inline constexpr int kMixerHeads = 4;  // the kernels are written for four heads
inline constexpr int kMixerUnits = 2 * kMixerHeads;
inline constexpr int kMixerParameters =
    kMixerUnits * kMixerUnits + kMixerUnits + kMixerHeads * kMixerUnits + kMixerHeads;

struct MixerPointers {
  const float* weight1;  // (8, 8): units x inputs, products first
  const float* bias1;    // (8)
  const float* weight2;  // (4, 8): heads x units
  const float* bias2;    // (4)
};

}  // namespace neuopt::policy
