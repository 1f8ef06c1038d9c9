// Any bytes are an instance or an InputError; an instance that was read, by its own rounding or by another, is written
// and read back without a change.
#include "io/tsplib.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "problem/rounding.h"

namespace {

void check(std::string_view bytes, const neuopt::FileOverrides& overrides) {
  using namespace neuopt;
  std::string written;
  try {
    const auto discard = [](const std::string&) {};
    written = write_instance(parse_instance(bytes, "fuzz", discard, overrides));
  } catch (const InputError&) {
    return;
  }
  // Outside the try: what we wrote ourselves must be readable.
  const Instance again = parse_instance(written, "written");
  if (overrides.rounding && again.metric != *overrides.rounding) std::abort();
  if (write_instance(again) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  check(bytes, {});
  // One of the roundings: all four would make every input five times as long.
  check(bytes, {.rounding = neuopt::kRoundings[size % neuopt::kRoundings.size()].metric});
  return 0;
}
