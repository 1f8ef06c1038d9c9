// Any bytes given as a test set end in instances that are consistent and can be written, or in an InputError.
#include "io/test_set.h"

#include <cstdint>
#include <cstdlib>

#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::vector<neuopt::Instance> instances =
        neuopt::parse_test_set(std::string(reinterpret_cast<const char*>(data), size), "input");
    for (const neuopt::Instance& instance : instances) {
      const auto nodes = static_cast<std::size_t>(instance.size);
      const neuopt::ProblemTraits problem = neuopt::traits(instance.kind);
      if (instance.coordinates.size() != nodes || instance.demand.size() != (problem.demands ? nodes : 0) ||
          instance.windows.size() != (problem.windows ? nodes : 0) ||
          instance.service.size() != instance.windows.size())
        std::abort();
    }
    neuopt::format_test_set(instances);
  } catch (const neuopt::InputError&) {
  }
  return 0;
}
