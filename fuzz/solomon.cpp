// Any bytes are one of Solomon's files or an InputError; what was read is written and read back without a change.
#include "io/solomon.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "io/tsplib.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neuopt;
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  std::string written;
  try {
    written = write_instance(parse_solomon(bytes, "fuzz"));
  } catch (const InputError&) {
    return 0;
  }
  // Outside the try: what we wrote ourselves must be readable.
  if (write_instance(parse_instance(written, "written")) != written) std::abort();
  return 0;
}
