// Half-precision numbers (IEEE), as bits.
#pragma once

#include <cstdint>

namespace neuopt {

/// Rounded to the nearest, ties to even.
std::uint16_t to_half(float value);
float from_half(std::uint16_t bits);

}  // namespace neuopt
