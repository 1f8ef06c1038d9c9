// Any bytes given as a test set end in instances that are consistent and can be written, or in an InputError.
#include <cstddef>
#include <cstdint>

#include "check_test_set.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  neuopt::fuzz::check_test_set(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
