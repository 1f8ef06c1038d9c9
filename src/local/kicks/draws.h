// The random numbers of one kick.
#pragma once

#include <cstdint>

#include "core/philox.h"

namespace neuopt::local {

class KickDraws {
 public:
  KickDraws(const Random& random, std::uint32_t instance, std::uint32_t copy, std::int64_t iteration)
      : random_(random), instance_(instance), copy_(copy), step_(static_cast<std::uint32_t>(iteration)) {}

  int below(int bound) { return static_cast<int>(uniform_below(word(), static_cast<std::uint32_t>(bound))); }
  /// In [0, 1).
  double unit() { return uniform_float(word()); }

 private:
  std::uint32_t word() {
    if (drawn_ % 4 == 0) words_ = random_.words(Draw::kick, instance_, copy_, step_, drawn_ / 4);
    return words_.word[drawn_++ % 4];
  }

  Random random_;
  std::uint32_t instance_, copy_, step_;
  std::uint32_t drawn_ = 0;
  Philox4 words_{};
};

}  // namespace neuopt::local
