#include "io/torch_checkpoint.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "io/pickle.h"
#include "io/zip.h"

namespace neuopt {
namespace {

using namespace std::string_view_literals;

// The first pickle of a file before PyTorch 1.6 is this number; still older ones are tar archives.
constexpr std::string_view legacy_start = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."sv;
constexpr std::string_view tar_mark = "ustar";
constexpr std::size_t tar_mark_offset = 257;
constexpr std::string_view pickle_entry = "/data.pkl";

bool is_legacy(std::string_view bytes) {
  return bytes.starts_with(legacy_start) ||
         (bytes.size() > tar_mark_offset + tar_mark.size() && bytes.substr(tar_mark_offset).starts_with(tar_mark));
}

std::optional<DType> element_type(std::string_view storage_class) {
  static const std::map<std::string_view, DType> types = {
      {"FloatStorage", DType::f32},     {"DoubleStorage", DType::f64}, {"HalfStorage", DType::f16},
      {"BFloat16Storage", DType::bf16}, {"ByteStorage", DType::u8},    {"BoolStorage", DType::boolean},
      {"IntStorage", DType::i32},       {"LongStorage", DType::i64}};
  const auto found = types.find(storage_class);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

/// The part of a storage that a tensor shows, in elements.
struct TensorView {
  std::uint64_t offset = 0;
  Shape shape;
  Shape stride;

  /// One more than the last element; nothing when it is beyond `limit`. The shape has no empty dimension.
  std::optional<std::uint64_t> end(std::uint64_t limit) const {
    if (offset >= limit) return std::nullopt;
    std::uint64_t last = offset;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto steps = static_cast<std::uint64_t>(shape[i] - 1);
      const auto step = static_cast<std::uint64_t>(stride[i]);
      if (steps != 0 && step > (limit - 1 - last) / steps) return std::nullopt;
      last += steps * step;
    }
    return last + 1;
  }
};

/// Copies the elements of a view in C order. The view lies inside the storage.
void copy_elements(const TensorView& view, std::string_view storage, Tensor& tensor) {
  const std::size_t element = dtype_size(tensor.dtype);
  std::vector<std::int64_t> index(view.shape.size(), 0);
  std::uint64_t position = view.offset;
  for (std::size_t at = 0; at < tensor.bytes.size(); at += element) {
    std::memcpy(tensor.bytes.data() + at, storage.data() + position * element, element);
    for (std::size_t i = index.size(); i-- > 0;) {
      position += static_cast<std::uint64_t>(view.stride[i]);
      if (++index[i] < view.shape[i]) break;
      position -= static_cast<std::uint64_t>(view.stride[i]) * static_cast<std::uint64_t>(view.shape[i]);
      index[i] = 0;
    }
  }
}

class CheckpointReader {
 public:
  CheckpointReader(std::string bytes, const std::string& file)
      : file_(file), archive_(std::move(bytes), file), budget_(4 * archive_.size()) {
    const auto is_pickle = [](const std::string& name) { return name.ends_with(pickle_entry); };
    const auto found = std::find_if(archive_.names().begin(), archive_.names().end(), is_pickle);
    if (found == archive_.names().end())
      fail("a zip archive without data.pkl; expected a PyTorch checkpoint (an npz has to be named .npz)");
    folder_ = found->substr(0, found->size() - pickle_entry.size());
    document_ = parse_pickle(archive_.stored(*found), file + ": " + quote_bytes(*found), PickleObjects::described);
  }

  NamedTensors read() {
    if (archive_.has(folder_ + "/byteorder") && archive_.stored(folder_ + "/byteorder") != "little")
      fail("its tensors are big-endian, expected little-endian ones");
    if (!document_.root.is(PickleKind::dictionary))
      fail("expected a dictionary of tensors, as model.state_dict() gives it, not a whole model or another object");
    read_dictionary(document_.root, "", true);
    if (tensors_.empty()) fail("a PyTorch checkpoint without tensors by name, expected a state_dict");
    return std::move(tensors_);
  }

 private:
  using Items = std::span<const PickleValue>;

  [[noreturn]] void fail(const std::string& message) const { throw InputError(file_, 0, message); }

  /// Counts entries, names and tensors against the size of the file, since references let it show the same ones without
  /// end.
  void spend(std::uint64_t size) {
    if (size > budget_) fail("it repeats its contents more often than the size of the file allows");
    budget_ -= size;
  }

  void read_dictionary(const PickleValue& dictionary, const std::string& prefix, bool descend) {
    const Items items = document_.items(dictionary);
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      spend(1);  // also for what is passed over: that takes time too
      if (!items[i].is(PickleKind::text)) continue;
      spend(prefix.size() + items[i].text.size);
      const std::string name = prefix + std::string(document_.text(items[i]));
      if (items[i + 1].is(PickleKind::call)) {
        read_tensor(name, items[i + 1]);
      } else if (items[i + 1].is(PickleKind::dictionary) && descend) {
        read_dictionary(items[i + 1], name + ".", false);
      }
    }
  }

  bool is_global(const PickleValue& value, std::string_view module, std::string_view name) const {
    if (!value.is(PickleKind::global)) return false;
    const Items parts = document_.items(value);
    return document_.text(parts[0]) == module && document_.text(parts[1]) == name;
  }

  /// Arguments of the call that would rebuild a tensor: storage, offset, shape, stride, ...; nothing for other calls.
  std::optional<Items> tensor_arguments(PickleValue call) const {
    // A parameter is a tensor with a note around it.
    for (int wrapped = 0; wrapped < 2 && call.is(PickleKind::call); ++wrapped) {
      const Items parts = document_.items(call);
      if (!parts[1].is(PickleKind::tuple)) return std::nullopt;
      const Items arguments = document_.items(parts[1]);
      if (is_global(parts[0], "torch._utils", "_rebuild_tensor_v2") ||
          is_global(parts[0], "torch._utils", "_rebuild_tensor"))
        return arguments;
      const bool parameter = is_global(parts[0], "torch._utils", "_rebuild_parameter") ||
                             is_global(parts[0], "torch._utils", "_rebuild_parameter_with_state");
      if (!parameter || arguments.empty()) return std::nullopt;
      call = arguments[0];
    }
    return std::nullopt;
  }

  void read_tensor(const std::string& name, const PickleValue& call) {
    const std::optional<Items> arguments = tensor_arguments(call);
    if (!arguments) return;
    label_ = "tensor " + quote_bytes(name);
    if (arguments->size() < 4) fail(label_ + ": expected a storage, an offset, a shape and a stride");
    Tensor tensor;
    const std::optional<std::string_view> storage = find_storage((*arguments)[0], tensor.dtype);
    if (!storage) return;
    TensorView view;
    view.offset = static_cast<std::uint64_t>(extent((*arguments)[1]));
    view.shape = extents((*arguments)[2]);
    view.stride = extents((*arguments)[3]);
    if (view.shape.size() != view.stride.size()) fail(label_ + ": shape and stride differ in their dimensions");
    const std::optional<std::size_t> count = element_count(view.shape);
    const std::uint64_t available = storage->size() / dtype_size(tensor.dtype);
    // A view may repeat elements, but no weight does; the bound keeps a small file from filling the memory.
    if (!count || *count > available || (*count > 0 && !view.end(available)))
      fail(label_ + ": shape " + shape_text(view.shape) + " reaches beyond its storage of " +
           std::to_string(available) + " elements");
    spend(*count * dtype_size(tensor.dtype));
    tensor.bytes.resize(*count * dtype_size(tensor.dtype));
    copy_elements(view, *storage, tensor);
    tensor.shape = std::move(view.shape);
    if (!tensors_.emplace(name, std::move(tensor)).second) fail(label_ + " occurs twice");
  }

  /// The bytes of ("storage", class, key, device, elements); nothing when its elements are of a type we do not have.
  std::optional<std::string_view> find_storage(const PickleValue& value, DType& dtype) {
    const bool outside = value.is(PickleKind::persistent);
    const PickleValue id = outside ? document_.items(value)[0] : PickleValue();
    const Items parts = id.is(PickleKind::tuple) ? document_.items(id) : Items();
    if (parts.size() < 5 || !parts[1].is(PickleKind::global) || !parts[2].is(PickleKind::text))
      fail(label_ + ": expected a storage");
    const std::optional<DType> type = element_type(document_.text(document_.items(parts[1])[1]));
    if (!type) return std::nullopt;
    dtype = *type;
    const std::string entry = folder_ + "/data/" + std::string(document_.text(parts[2]));
    auto known = storages_.find(entry);
    if (known == storages_.end()) {
      if (!archive_.has(entry)) fail(label_ + ": the archive has no entry " + quote_bytes(entry));
      known = storages_.emplace(entry, archive_.stored(entry)).first;
    }
    const auto count = static_cast<std::uint64_t>(extent(parts[4]));
    if (known->second.size() % dtype_size(dtype) != 0 || known->second.size() / dtype_size(dtype) != count)
      fail(label_ + ": " + quote_bytes(entry) + " has " + std::to_string(known->second.size()) + " bytes, expected " +
           std::to_string(count) + " elements of " + dtype_name(dtype));
    return known->second;
  }

  std::int64_t extent(const PickleValue& value) const {
    if (!value.is(PickleKind::integer) || value.integer < 0) fail(label_ + ": expected a number of elements");
    return value.integer;
  }

  Shape extents(const PickleValue& value) const {
    if (!value.is_sequence()) fail(label_ + ": expected a shape and a stride");
    const Items items = document_.items(value);
    if (items.size() > 64) fail(label_ + ": more dimensions than a tensor can have");
    Shape result;
    for (const PickleValue& item : items) result.push_back(extent(item));
    return result;
  }

  const std::string& file_;
  ZipArchive archive_;
  std::string folder_;
  PickleDocument document_;
  std::map<std::string, std::string_view> storages_;  // entries whose checksum was verified
  std::uint64_t budget_;                              // bytes that entries, names and tensors may still take
  std::string label_;                                 // the tensor being read
  NamedTensors tensors_;
};

}  // namespace

bool is_torch_checkpoint(std::string_view bytes) { return bytes.starts_with("PK") || is_legacy(bytes); }

NamedTensors parse_torch_checkpoint(std::string bytes, const std::string& file) {
  if (is_legacy(bytes))
    throw InputError(file, 0,
                     "a checkpoint in the format before PyTorch 1.6; load it with a current PyTorch and save it anew "
                     "with torch.save");
  return CheckpointReader(std::move(bytes), file).read();
}

}  // namespace neuopt
