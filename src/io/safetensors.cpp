#include "io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "io/byte_view.h"

namespace neuopt {
namespace {

using Json = nlohmann::json;

constexpr std::size_t prefix_size = 8;
constexpr std::size_t max_header = 100'000'000;  // the limit of the format's own library
constexpr int max_depth = 4;                     // header, tensor, shape
constexpr std::size_t max_dimensions = 64;
constexpr const char* metadata_key = "__metadata__";

struct SafeType {
  const char* name;
  DType dtype;
};
constexpr SafeType safe_types[] = {{"BOOL", DType::boolean}, {"U8", DType::u8},   {"I32", DType::i32},
                                   {"I64", DType::i64},      {"F16", DType::f16}, {"BF16", DType::bf16},
                                   {"F32", DType::f32},      {"F64", DType::f64}};

/// Where a tensor lies among the data, for the check that they fill it without gap or overlap.
struct Extent {
  std::uint64_t begin;
  std::uint64_t end;
  std::string name;
};

Json parse_header(std::string_view text, const std::string& file) {
  std::vector<std::set<std::string>> open_objects;
  const auto guard = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > max_depth) throw InputError(file, 0, "header: nested too deeply");
    if (event == Json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == Json::parse_event_t::object_end) open_objects.pop_back();
    if (event == Json::parse_event_t::key && !open_objects.back().insert(parsed.get<std::string>()).second)
      throw InputError(file, 0, "header: the name " + quote_bytes(parsed.get<std::string>()) + " occurs twice");
    return true;
  };
  try {
    Json header = Json::parse(text, guard);
    if (!header.is_object()) throw InputError(file, 0, "header: expected a JSON object");
    return header;
  } catch (const Json::exception& error) {
    throw InputError(file, 0, "header: " + printable_text(error.what()));
  }
}

std::map<std::string, std::string> parse_metadata(const Json& node, const std::string& file) {
  if (!node.is_object()) throw InputError(file, 0, "__metadata__: expected an object of strings");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : node.items()) {
    if (!value.is_string()) throw InputError(file, 0, "__metadata__: " + quote_bytes(key) + " is not a string");
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

/// The non-negative integers of a JSON array.
std::vector<std::int64_t> parse_numbers(const Json& node, const char* field, const std::string& label) {
  const auto valid = [](const Json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX};
  };
  if (!node.is_object() || !node.contains(field) || !node[field].is_array() || node[field].size() > max_dimensions ||
      !std::all_of(node[field].begin(), node[field].end(), valid))
    throw InputError(label, 0, std::string(field) + ": expected a list of non-negative integers");
  return node[field].get<std::vector<std::int64_t>>();
}

DType parse_type(const Json& node, const std::string& label) {
  const Json value = node.value("dtype", Json());
  const std::string name = value.is_string() ? value.get<std::string>() : "";
  for (const SafeType& type : safe_types)
    if (name == type.name) return type.dtype;
  throw InputError(label, 0, "dtype " + quote_bytes(name) + " is not read");
}

Tensor parse_tensor(const Json& node, std::string_view data, const std::string& label, Extent& extent) {
  Shape shape = parse_numbers(node, "shape", label);
  const std::vector<std::int64_t> offsets = parse_numbers(node, "data_offsets", label);
  const DType dtype = parse_type(node, label);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || static_cast<std::uint64_t>(offsets[1]) > data.size())
    throw InputError(label, 0, "data_offsets: expected two offsets inside the file");
  extent.begin = static_cast<std::uint64_t>(offsets[0]);
  extent.end = static_cast<std::uint64_t>(offsets[1]);
  const std::optional<std::size_t> count = element_count(shape);
  if (!count || *count * dtype_size(dtype) != extent.end - extent.begin)
    throw InputError(label, 0,
                     "the shape " + shape_text(shape) + " of " + dtype_name(dtype) + " does not have " +
                         std::to_string(extent.end - extent.begin) + " bytes");
  // Only the extent is known to be inside the file; whether tensors share bytes is checked before any is copied.
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  return tensor;
}

void check_extents(std::vector<Extent> extents, std::uint64_t data_size, const std::string& file) {
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t position = 0;
  for (const Extent& extent : extents) {
    if (extent.begin != position)
      throw InputError(file + ": " + quote_bytes(extent.name), 0,
                       extent.begin < position ? "overlaps another tensor" : "leaves a gap before it");
    position = extent.end;
  }
  if (position != data_size)
    throw InputError(file, 0, std::to_string(data_size - position) + " bytes after the last tensor");
}

const char* type_name(DType dtype) {
  for (const SafeType& type : safe_types)
    if (type.dtype == dtype) return type.name;
  return "";
}

}  // namespace

SafeTensors read_safetensors(const std::string& path) { return parse_safetensors(read_file(path), path); }

SafeTensors parse_safetensors(std::string_view bytes, const std::string& file) {
  const std::optional<std::uint64_t> header_size = load_number<std::uint64_t>(bytes, 0);
  if (!header_size || *header_size > max_header || !has_range(bytes, prefix_size, *header_size))
    throw InputError(file, 0, "is not a safetensors file, or is truncated");
  const Json header = parse_header(bytes.substr(prefix_size, *header_size), file);
  const std::string_view data = bytes.substr(prefix_size + *header_size);

  SafeTensors content;
  std::vector<Extent> extents;
  for (const auto& [name, node] : header.items()) {
    if (name == metadata_key) {
      content.metadata = parse_metadata(node, file);
      continue;
    }
    Extent& extent = extents.emplace_back(Extent{0, 0, name});
    content.tensors.emplace(name, parse_tensor(node, data, file + ": " + quote_bytes(name), extent));
  }
  check_extents(extents, data.size(), file);
  for (const Extent& extent : extents) {
    std::vector<std::byte>& target = content.tensors.at(extent.name).bytes;
    target.resize(extent.end - extent.begin);
    if (!target.empty()) std::memcpy(target.data(), data.data() + extent.begin, target.size());
  }
  return content;
}

std::string format_safetensors(const SafeTensors& content) {
  Json header = Json::object();
  if (!content.metadata.empty()) header[metadata_key] = content.metadata;
  std::string data;
  for (const auto& [name, tensor] : content.tensors) {
    if (name == metadata_key) throw InputError("a tensor cannot be called __metadata__");
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    header[name] = {
        {"dtype", type_name(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception& error) {
    throw InputError(std::string("safetensors header: ") + error.what());
  }
  text.append((prefix_size - text.size() % prefix_size) % prefix_size, ' ');
  std::string bytes;
  append_number(bytes, std::uint64_t{text.size()});
  return bytes.append(text).append(data);
}

void write_safetensors(const std::string& path, const SafeTensors& content) {
  write_file(path, format_safetensors(content));
}

}  // namespace neuopt
