// Any bytes given to the reader of PyTorch checkpoints end in whole tensors or in an InputError. They are taken as a
// file, and as the pickle of one, since the archive's checksums would let few changes of the pickle through.
#include "io/torch_checkpoint.h"

#include <cstdlib>

#include "core/error.h"
#include "io/zip.h"

namespace {

void read_checkpoint(std::string bytes) {
  try {
    for (const auto& [name, tensor] : neuopt::parse_torch_checkpoint(std::move(bytes), "input"))
      if (tensor.size() != neuopt::element_count(tensor.shape)) std::abort();
  } catch (const neuopt::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read_checkpoint(bytes);
  neuopt::ZipWriter zip;
  zip.add("x/data.pkl", bytes);
  for (const char* storage : {"x/data/0", "x/data/1", "x/data/2"}) zip.add(storage, std::string(24, '\1'));
  read_checkpoint(zip.finish());
  return 0;
}
