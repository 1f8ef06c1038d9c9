#include "io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "core/error.h"
#include "core/text.h"
#include "io/byte_view.h"

namespace neuopt {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_dimensions = 32;  // numpy's own limit

struct NpyType {
  std::string_view code;  // numpy's letter and size, without the byte order
  DType dtype;
};
constexpr NpyType npy_types[] = {{"b1", DType::boolean}, {"u1", DType::u8},  {"i4", DType::i32}, {"i8", DType::i64},
                                 {"f2", DType::f16},     {"f4", DType::f32}, {"f8", DType::f64}};

struct Header {
  DType dtype = DType::f32;
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape;
};

/// Reads the header's Python dictionary, which numpy writes with exactly three keys.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  Header parse() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !descr) {
        descr = true;
        read_type(header);
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        header.shape = tuple();
      } else {
        fail("unexpected or repeated key " + quote_bytes(key));
      }
      if (!accept(',') && peek() != '}') fail("expected ',' or '}'");
    }
    if (!descr || !order || !shape) fail("expected the keys descr, fortran_order and shape");
    skip_space();
    if (!rest_.empty()) fail("text after the dictionary");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw InputError(file_, 0, "npy header: " + message); }

  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }

  char peek() {
    skip_space();
    return rest_.empty() ? '\0' : rest_[0];
  }

  bool accept(char wanted) {
    if (peek() != wanted || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("expected '") + wanted + "'");
  }

  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("expected a quoted name");
    rest_.remove_prefix(1);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail("a quote is not closed");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.substr(0, word.size()) != word) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    fail("fortran_order: expected True or False");
  }

  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extent < 0) fail("shape: expected non-negative integers");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      shape.push_back(extent);
      if (shape.size() > max_dimensions) fail("shape: more than 32 dimensions");
      if (!accept(',') && peek() != ')') fail("shape: expected ',' or ')'");
    }
    return shape;
  }

  void read_type(Header& header) {
    if (peek() == '[') fail("structured arrays are not read, expected one number type");
    const std::string_view text = quoted();
    const char order = text.empty() ? '\0' : text[0];
    for (const NpyType& type : npy_types) {
      if (text.size() != 3 || text.substr(1) != type.code) continue;
      const bool single = dtype_size(type.dtype) == 1;
      if (order != '<' && order != '>' && order != '=' && !(single && order == '|')) break;
      header.dtype = type.dtype;
      header.big_endian = order == '>' && !single;
      return;
    }
    fail("type " + quote_bytes(text) + " is not read, expected bool, uint8, int32, int64, float16, float32 or float64");
  }

  std::string_view rest_;
  const std::string& file_;
};

void swap_bytes(Tensor& tensor) {
  const std::size_t size = dtype_size(tensor.dtype);
  for (std::size_t i = 0; i < tensor.bytes.size(); i += size)
    std::reverse(tensor.bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 tensor.bytes.begin() + static_cast<std::ptrdiff_t>(i + size));
}

/// Elements stored with the first index running fastest, put into C order.
Tensor from_fortran_order(const Tensor& source) {
  Tensor result = Tensor::zeros(source.dtype, source.shape);
  const std::size_t size = dtype_size(source.dtype);
  const std::size_t rank = source.shape.size();
  std::array<std::size_t, max_dimensions> stride{size};  // bytes between neighbours along each dimension of the source
  for (std::size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * static_cast<std::size_t>(source.shape[d - 1]);
  std::array<std::int64_t, max_dimensions> index{};
  std::size_t from = 0;
  for (std::size_t to = 0; to < result.bytes.size(); to += size) {
    std::memcpy(result.bytes.data() + to, source.bytes.data() + from, size);
    for (std::size_t d = rank; d-- > 0;) {
      from += stride[d];
      if (++index[d] < source.shape[d]) break;
      from -= stride[d] * static_cast<std::size_t>(source.shape[d]);
      index[d] = 0;
    }
  }
  return result;
}

/// As Python prints a tuple, so that the header is numpy's to the byte.
std::string python_tuple(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

Tensor parse_npy(std::string_view bytes, const std::string& file) {
  if (bytes.substr(0, magic.size()) != magic) throw InputError(file, 0, "is not a .npy array");
  const int major = load_number<std::uint8_t>(bytes, 6).value_or(0);
  if (major < 1 || major > 3 || load_number<std::uint8_t>(bytes, 7) != 0)
    throw InputError(file, 0, "npy header: expected version 1.0, 2.0 or 3.0");
  const std::size_t prefix = major == 1 ? 10 : 12;
  if (bytes.size() < prefix) throw InputError(file, 0, "npy header: truncated");
  const std::size_t header_size =
      major == 1 ? load_number<std::uint16_t>(bytes, 8).value() : load_number<std::uint32_t>(bytes, 8).value();
  if (!has_range(bytes, prefix, header_size)) throw InputError(file, 0, "npy header: truncated");
  Header header = HeaderParser(bytes.substr(prefix, header_size), file).parse();

  const std::string_view data = bytes.substr(prefix + header_size);
  const std::optional<std::size_t> count = element_count(header.shape);
  if (!count || *count * dtype_size(header.dtype) != data.size())
    throw InputError(file, 0,
                     "an array of " + dtype_name(header.dtype) + " " + shape_text(header.shape) + " does not have " +
                         std::to_string(data.size()) + " bytes");
  Tensor tensor = Tensor::zeros(header.dtype, std::move(header.shape));
  if (!data.empty()) std::memcpy(tensor.bytes.data(), data.data(), data.size());
  if (header.big_endian) swap_bytes(tensor);
  return header.fortran_order && tensor.shape.size() > 1 ? from_fortran_order(tensor) : tensor;
}

std::string format_npy(const Tensor& tensor) {
  const auto* type = std::find_if(std::begin(npy_types), std::end(npy_types),
                                  [&](const NpyType& candidate) { return candidate.dtype == tensor.dtype; });
  if (type == std::end(npy_types)) throw InputError("numpy has no type for " + dtype_name(tensor.dtype));
  std::string header = "{'descr': '";
  header += dtype_size(tensor.dtype) == 1 ? '|' : '<';
  header.append(type->code).append("', 'fortran_order': False, 'shape': " + python_tuple(tensor.shape) + ", }");
  // The data starts at a multiple of 64 bytes; the header ends with a new line.
  const std::size_t used = 10 + header.size() + 1;
  header.append((64 - used % 64) % 64, ' ').push_back('\n');

  std::string bytes(magic);
  bytes.append("\x01\x00", 2);
  append_number(bytes, static_cast<std::uint16_t>(header.size()));
  bytes.append(header);
  return bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
}

}  // namespace neuopt
