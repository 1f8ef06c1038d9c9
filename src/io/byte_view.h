// Bounds-checked access to bytes from outside, shared by the binary formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace neuopt {

/// True when [offset, offset + size) lies inside the bytes; safe for any numbers.
inline bool has_range(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

/// The little-endian number at an offset; nothing when it does not lie inside the bytes.
template <typename Number>
std::optional<Number> load_number(std::string_view bytes, std::uint64_t offset) {
  static_assert(std::is_arithmetic_v<Number>);
  if (!has_range(bytes, offset, sizeof(Number))) return std::nullopt;
  Number value;
  std::memcpy(&value, bytes.data() + offset, sizeof(Number));
  return value;
}

/// Appends a number in little-endian order.
template <typename Number>
void append_number(std::string& bytes, Number value) {
  static_assert(std::is_arithmetic_v<Number>);
  char raw[sizeof(Number)];
  std::memcpy(raw, &value, sizeof(Number));
  bytes.append(raw, sizeof(Number));
}

}  // namespace neuopt
