// Where kernels find the weights of the perceptron that mixes attention scores.
#pragma once

namespace neuopt {

inline constexpr int kMixerHeads = 4;  // H: what kernels on tensor cores are written for
inline constexpr int kMixerUnits = 2 * kMixerHeads;

/// Where each part begins when all parameters lie one after the other, and their number.
inline constexpr int kMixerBias1At = kMixerUnits * kMixerUnits;
inline constexpr int kMixerWeight2At = kMixerBias1At + kMixerUnits;
inline constexpr int kMixerBias2At = kMixerWeight2At + kMixerHeads * kMixerUnits;
inline constexpr int kMixerParameters = kMixerBias2At + kMixerHeads;

struct MixerPointers {
  const float* weight1;  // (2H, 2H): units x inputs, products first
  const float* bias1;    // (2H)
  const float* weight2;  // (H, 2H): heads x units
  const float* bias2;    // (H)
};

}  // namespace neuopt
