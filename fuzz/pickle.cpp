// Any bytes given to the pickle reader end in a document whose containers can be visited, or in an InputError.
#include "io/pickle.h"

#include <cstdlib>

#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const neuopt::PickleDocument document = neuopt::parse_pickle({reinterpret_cast<const char*>(data), size}, "input");
    for (const std::vector<neuopt::PickleValue>& items : document.containers)
      for (const neuopt::PickleValue& item : items)
        if (item.is_sequence() && item.container >= document.containers.size()) std::abort();
  } catch (const neuopt::InputError&) {
  }
  return 0;
}
