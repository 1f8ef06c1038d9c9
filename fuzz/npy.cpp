// Any bytes given to the npy reader end in an array or in an InputError. The checksums of npz files keep a fuzzer
// from its header parser, so that it is given to it directly.
#include "io/npy.h"

#include <cstdlib>

#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const neuopt::Tensor tensor = neuopt::parse_npy({reinterpret_cast<const char*>(data), size}, "input");
    if (neuopt::parse_npy(neuopt::format_npy(tensor), "copy") != tensor) std::abort();
  } catch (const neuopt::InputError&) {
  }
  return 0;
}
