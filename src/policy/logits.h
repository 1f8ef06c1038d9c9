// Conventions of the decoder's logits.
#pragma once

namespace neuopt::policy {

/// Stands for a choice that is not legal.
inline constexpr float kIllegalLogit = -1e30f;

/// Whether a choice with this logit, computed or recorded, is legal.
constexpr bool legal_logit(double logit) { return logit > static_cast<double>(kIllegalLogit) / 2; }

/// Hidden width of the hypernetwork that makes the weights of the scores from the exploration features.
inline constexpr int kHyperHidden = 8;

}  // namespace neuopt::policy
