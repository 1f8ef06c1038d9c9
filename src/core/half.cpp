#include "core/half.h"

#include <bit>
#include <cmath>

namespace neuopt {

std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const float magnitude = std::fabs(value);
  if (!(magnitude < 65520.0f)) return static_cast<std::uint16_t>(sign | (std::isnan(value) ? 0x7e00u : 0x7c00u));
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  // Scale so that the bits to keep are the integer part, round to even, and read off the encoding.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int shift = exponent - 11 < -24 ? -24 : exponent - 11;  // weight of the last kept bit
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -shift)));
  return static_cast<std::uint16_t>(sign +
                                    (shift == -24 ? units : (static_cast<std::uint32_t>(shift + 24) << 10) + units));
}

float from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  float magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VALF : NAN)
                    : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                    : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

}  // namespace neuopt
