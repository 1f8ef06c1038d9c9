// Any bytes given to the safetensors reader end in tensors or in an InputError, and tensors survive a round trip.
#include "io/safetensors.h"

#include <cstdlib>

#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const neuopt::SafeTensors content = neuopt::parse_safetensors({reinterpret_cast<const char*>(data), size}, "input");
    const neuopt::SafeTensors copy = neuopt::parse_safetensors(neuopt::format_safetensors(content), "copy");
    if (copy.tensors != content.tensors || copy.metadata != content.metadata) std::abort();
  } catch (const neuopt::InputError&) {
  }
  return 0;
}
