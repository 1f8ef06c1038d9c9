// FNV-1a, 64 bits: finds files that were damaged, not files that were forged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace neuopt {

class Checksum {
 public:
  void add(const void* data, std::size_t size) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ byte[i]) * 0x100000001b3ull;
  }
  void add(std::string_view text) { add(text.data(), text.size()); }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

}  // namespace neuopt
