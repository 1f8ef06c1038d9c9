// Conventions of the decoder's logits.
#pragma once

namespace neuopt::policy {

/// Logits are 6 * tanh(score), so that exp never overflows and no maximum has to be subtracted.
inline constexpr float kLogitBound = 6.0f;

/// Stands for a choice that is not legal.
inline constexpr float kIllegalLogit = -1e30f;

}  // namespace neuopt::policy
