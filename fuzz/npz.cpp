// Any bytes given to the npz reader end in arrays or in an InputError, and arrays survive a round trip.
#include "io/npz.h"

#include <cstdlib>

#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const neuopt::NamedTensors tensors =
        neuopt::parse_npz(std::string(reinterpret_cast<const char*>(data), size), "input");
    if (neuopt::parse_npz(neuopt::format_npz(tensors), "copy") != tensors) std::abort();
  } catch (const neuopt::InputError&) {
  }
  return 0;
}
