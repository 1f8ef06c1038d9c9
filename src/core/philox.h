// Philox4x32-10, the counter-based generator: a draw is a pure function of a key and a counter, so that the answer
// depends neither on threads nor on the order or size of batches, and CPU and GPU draw the same numbers.
#pragma once

#include <cstdint>

#include "core/host_device.h"

namespace neuopt {

struct Philox4 {
  std::uint32_t word[4];
};

/// One block of four random words for a counter and a key.
NEUOPT_HD Philox4 philox4x32(Philox4 counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter.word[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = Philox4{
        {static_cast<std::uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0, static_cast<std::uint32_t>(product1),
         static_cast<std::uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1, static_cast<std::uint32_t>(product0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/// What a number is drawn for. Part of the counter, so that no two purposes share a number.
enum class Draw : std::uint32_t {
  decode = 0,
  augment = 1,
  start = 2,
  instance = 3,
  policy = 4,
  test = 5,
  shape = 6,
  kick = 7
};

/// The random numbers of one search (or one training run): keyed by its seed.
struct Random {
  std::uint64_t seed;

  /// Four words for (instance, copy, step, position) and a purpose.
  NEUOPT_HD Philox4 words(Draw purpose, std::uint32_t instance, std::uint32_t copy, std::uint32_t step,
                          std::uint32_t position) const {
    const Philox4 counter{{instance, copy, step, (static_cast<std::uint32_t>(purpose) << 24) | position}};
    return philox4x32(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
  }
};

/// Uniform in [0, 1) with 24 bits, exact in float.
NEUOPT_HD float uniform_float(std::uint32_t word) { return static_cast<float>(word >> 8) * (1.0f / 16777216.0f); }

/// Uniform integer in [0, bound) (multiply-shift; the bias is below bound / 2^32).
NEUOPT_HD std::uint32_t uniform_below(std::uint32_t word, std::uint32_t bound) {
  return static_cast<std::uint32_t>((std::uint64_t{word} * bound) >> 32);
}

}  // namespace neuopt
