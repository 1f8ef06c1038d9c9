// Raw deflate streams, through zlib where the build has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace neuopt {

/// The `size` bytes that `packed` inflates to. Throws InputError (starting with `label`) when the stream is damaged,
/// gives another size, claims more than deflate can express, or the build has no zlib.
std::string inflate_bytes(std::string_view packed, std::uint64_t size, const std::string& label);

}  // namespace neuopt
