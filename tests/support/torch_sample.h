// Writes checkpoints as PyTorch does, opcode by opcode, so that tests can also write what PyTorch never would.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/byte_view.h"
#include "io/tensor.h"
#include "io/zip.h"

namespace neuopt::test {

// Values of a pickle (protocol 2).

inline std::string pickled_text(std::string_view text) {
  std::string bytes = "X";
  append_number(bytes, static_cast<std::uint32_t>(text.size()));
  return bytes + std::string(text);
}

inline std::string pickled_integer(std::int64_t value) {
  std::string bytes = "\x8a\x08";
  append_number(bytes, value);
  return bytes;
}

inline std::string pickled_tuple(const std::vector<std::string>& items) {
  std::string bytes = "(";
  for (const std::string& item : items) bytes += item;
  return bytes + "t";
}

inline std::string pickled_shape(const Shape& shape) {
  std::vector<std::string> items;
  for (const std::int64_t extent : shape) items.push_back(pickled_integer(extent));
  return pickled_tuple(items);
}

inline std::string pickled_global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

inline std::string pickled_call(const std::string& callable, const std::vector<std::string>& arguments) {
  return callable + pickled_tuple(arguments) + "R";
}

using PickledEntries = std::vector<std::pair<std::string, std::string>>;  // name and pickled value

inline std::string pickled_dictionary(const PickledEntries& entries) {
  std::string bytes = pickled_call(pickled_global("collections", "OrderedDict"), {}) + "(";
  for (const auto& [name, value] : entries) bytes += pickled_text(name) + value;
  return bytes + "u";
}

/// A checkpoint under construction: tensors first, then the file around what refers to them.
class TorchSample {
 public:
  /// Keeps the bytes and returns what stands for them in the pickle.
  std::string storage(const std::string& type, std::string_view bytes, std::int64_t elements) {
    const std::string key = std::to_string(storages_.size());
    storages_.emplace_back(bytes);
    return reference(type, key, elements);
  }

  static std::string reference(const std::string& type, const std::string& key, std::int64_t elements) {
    return pickled_tuple({pickled_text("storage"), pickled_global("torch", type), pickled_text(key),
                          pickled_text("cpu"), pickled_integer(elements)}) +
           "Q";
  }

  static std::string view(const std::string& storage, std::int64_t offset, const Shape& shape, const Shape& stride) {
    return pickled_call(pickled_global("torch._utils", "_rebuild_tensor_v2"),
                        {storage, pickled_integer(offset), pickled_shape(shape), pickled_shape(stride), "\x89",
                         pickled_dictionary({})});
  }

  /// A tensor of single precision in C order.
  std::string tensor(const Tensor& tensor) {
    Shape stride(tensor.shape.size(), 1);
    for (std::size_t i = stride.size(); i-- > 1;) stride[i - 1] = stride[i] * tensor.shape[i];
    const std::string_view bytes(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    return view(storage("FloatStorage", bytes, static_cast<std::int64_t>(tensor.size())), 0, tensor.shape, stride);
  }

  std::string state_dict(const NamedTensors& tensors) {
    PickledEntries entries;
    for (const auto& [name, value] : tensors) entries.emplace_back(name, tensor(value));
    return pickled_dictionary(entries);
  }

  /// The bytes of the file whose pickle is this value.
  std::string file(const std::string& root) const {
    ZipWriter zip;
    zip.add("sample/data.pkl", "\x80\x02" + root + ".");
    for (std::size_t i = 0; i < storages_.size(); ++i) zip.add("sample/data/" + std::to_string(i), storages_[i]);
    zip.add("sample/version", "3\n");
    return zip.finish();
  }

 private:
  std::vector<std::string> storages_;
};

}  // namespace neuopt::test
