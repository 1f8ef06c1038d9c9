// Any bytes given to the pickle reader end in a document whose values can be visited, or in an InputError.
#include "io/pickle.h"

#include <cstdlib>

#include "core/error.h"

namespace {

bool has_items(const neuopt::PickleValue& value) {
  return value.kind >= neuopt::PickleKind::list && value.kind <= neuopt::PickleKind::persistent;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto objects : {neuopt::PickleObjects::refused, neuopt::PickleObjects::described}) {
    try {
      const neuopt::PickleDocument document = neuopt::parse_pickle(bytes, "input", objects);
      for (const std::vector<neuopt::PickleValue>& items : document.containers) {
        for (const neuopt::PickleValue& item : items) {
          if (has_items(item) && item.container >= document.containers.size()) std::abort();
          if (item.is(neuopt::PickleKind::text) && document.text(item).size() != item.text.size) std::abort();
        }
      }
    } catch (const neuopt::InputError&) {
    }
  }
  return 0;
}
