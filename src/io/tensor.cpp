#include "io/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/error.h"
#include "core/half.h"

namespace neuopt {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor bytes are read and written as they are");

struct Half {
  std::uint16_t bits;
  operator double() const { return static_cast<double>(from_half(bits)); }
};

struct BFloat16 {
  std::uint16_t bits;
  operator double() const { return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16)); }
};

template <typename Source, typename Convert>
auto convert_all(const Tensor& tensor, Convert convert) {
  std::vector<decltype(convert(Source{}))> values(tensor.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    Source source;
    std::memcpy(&source, tensor.bytes.data() + i * sizeof(Source), sizeof(Source));
    values[i] = convert(source);
  }
  return values;
}

/// Applies `convert` (overloaded for std::int64_t and double) to every element.
template <typename Convert>
auto map_elements(const Tensor& tensor, Convert convert) {
  const auto from_integer = [&](auto value) { return convert(static_cast<std::int64_t>(value)); };
  const auto from_real = [&](auto value) { return convert(static_cast<double>(value)); };
  switch (tensor.dtype) {
    case DType::boolean:
    case DType::u8:
      return convert_all<std::uint8_t>(tensor, from_integer);
    case DType::i32:
      return convert_all<std::int32_t>(tensor, from_integer);
    case DType::i64:
      return convert_all<std::int64_t>(tensor, from_integer);
    case DType::f16:
      return convert_all<Half>(tensor, from_real);
    case DType::bf16:
      return convert_all<BFloat16>(tensor, from_real);
    case DType::f32:
      return convert_all<float>(tensor, from_real);
    case DType::f64:
      break;
  }
  return convert_all<double>(tensor, from_real);
}

std::int64_t exact_integer(double value) {
  // 2^63 is the first double above the range; the comparison is false for NaN.
  if (!(std::fabs(value) < 0x1p63) || value != std::floor(value))
    throw InputError("expected an integer, found " + std::to_string(value));
  return static_cast<std::int64_t>(value);
}

std::size_t checked_count(const Shape& shape) {
  const std::optional<std::size_t> count = element_count(shape);
  if (!count) throw InputError("a tensor cannot have the shape " + shape_text(shape));
  return *count;
}

template <typename Element>
std::vector<std::byte> bytes_of(const Shape& shape, const std::vector<Element>& values) {
  if (values.size() != checked_count(shape))
    throw InputError(std::to_string(values.size()) + " values do not fill a tensor of shape " + shape_text(shape));
  std::vector<std::byte> bytes(values.size() * sizeof(Element));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

std::size_t dtype_size(DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::u8:
      return 1;
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::i32:
    case DType::f32:
      return 4;
    case DType::i64:
    case DType::f64:
      break;
  }
  return 8;
}

std::string dtype_name(DType dtype) {
  static const char* const names[] = {"bool", "u8", "i32", "i64", "f16", "bf16", "f32", "f64"};
  return names[static_cast<int>(dtype)];
}

bool is_floating(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
}

std::optional<std::size_t> element_count(const Shape& shape) {
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 0; })) return std::nullopt;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  constexpr std::size_t limit = (std::size_t{1} << 60) - 1;
  std::size_t count = 1;
  for (const std::int64_t extent : shape) {
    if (static_cast<std::size_t>(extent) > limit / count) return std::nullopt;
    count *= static_cast<std::size_t>(extent);
  }
  return count;
}

std::string shape_text(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ","), shape.size() == 1 ? "," : "");
}

Tensor::Tensor(Shape dimensions, const std::vector<float>& values)
    : dtype(DType::f32), shape(std::move(dimensions)), bytes(bytes_of(shape, values)) {}

Tensor::Tensor(Shape dimensions, const std::vector<double>& values)
    : dtype(DType::f64), shape(std::move(dimensions)), bytes(bytes_of(shape, values)) {}

Tensor::Tensor(Shape dimensions, const std::vector<std::int32_t>& values)
    : dtype(DType::i32), shape(std::move(dimensions)), bytes(bytes_of(shape, values)) {}

Tensor::Tensor(Shape dimensions, const std::vector<std::int64_t>& values)
    : dtype(DType::i64), shape(std::move(dimensions)), bytes(bytes_of(shape, values)) {}

Tensor::Tensor(Shape dimensions, const std::vector<std::uint8_t>& values)
    : dtype(DType::u8), shape(std::move(dimensions)), bytes(bytes_of(shape, values)) {}

Tensor Tensor::zeros(DType type, Shape dimensions) {
  Tensor tensor;
  tensor.bytes.resize(checked_count(dimensions) * dtype_size(type));
  tensor.dtype = type;
  tensor.shape = std::move(dimensions);
  return tensor;
}

std::vector<float> Tensor::to_float() const {
  return map_elements(*this, [](auto value) { return static_cast<float>(value); });
}

std::vector<double> Tensor::to_double() const {
  return map_elements(*this, [](auto value) { return static_cast<double>(value); });
}

std::vector<std::int64_t> Tensor::to_int64() const {
  return map_elements(*this, [](auto value) -> std::int64_t {
    if constexpr (std::is_same_v<decltype(value), double>)
      return exact_integer(value);
    else
      return value;
  });
}

}  // namespace neuopt
