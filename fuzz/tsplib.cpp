// Any bytes are an instance or an InputError; an instance that was read is written and read back without a change.
#include "io/tsplib.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neuopt;
  std::string written;
  try {
    const auto discard = [](const std::string&) {};
    written = write_instance(parse_instance({reinterpret_cast<const char*>(data), size}, "fuzz", discard));
  } catch (const InputError&) {
    return 0;
  }
  // Outside the try: what we wrote ourselves must be readable.
  if (write_instance(parse_instance(written, "written")) != written) std::abort();
  return 0;
}
