// An array as the binary formats store it: a type, a shape and bytes (little-endian, C order). Plain data between
// files and the code that computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace neuopt {

enum class DType { boolean, u8, i32, i64, f16, bf16, f32, f64 };

/// Bytes of one element.
std::size_t dtype_size(DType dtype);

/// "bool", "u8", "f32", ... for messages.
std::string dtype_name(DType dtype);

/// True for f16, bf16, f32 and f64.
bool is_floating(DType dtype);

using Shape = std::vector<std::int64_t>;

/// Product of the dimensions; nothing when one is negative or so many elements of 8 bytes could not be addressed.
std::optional<std::size_t> element_count(const Shape& shape);

/// "(10,20,2)", as messages show a shape.
std::string shape_text(const Shape& shape);

struct Tensor {
  DType dtype = DType::f32;
  Shape shape;                   // empty for a scalar
  std::vector<std::byte> bytes;  // element_count(shape) * dtype_size(dtype)

  Tensor() = default;
  /// With the values given in C order. Throws InputError when their number does not fit the shape.
  Tensor(Shape dimensions, const std::vector<float>& values);
  Tensor(Shape dimensions, const std::vector<double>& values);
  Tensor(Shape dimensions, const std::vector<std::int32_t>& values);
  Tensor(Shape dimensions, const std::vector<std::int64_t>& values);
  Tensor(Shape dimensions, const std::vector<std::uint8_t>& values);

  /// Of zeros. Throws InputError when the shape is not a valid one.
  static Tensor zeros(DType type, Shape dimensions);

  /// Number of elements.
  std::size_t size() const { return bytes.size() / dtype_size(dtype); }

  /// The values in C order, converted from any type; rounding to nearest where the target is narrower.
  std::vector<float> to_float() const;
  std::vector<double> to_double() const;
  /// As above. Throws InputError when a value is not an integer or does not fit.
  std::vector<std::int64_t> to_int64() const;

  bool operator==(const Tensor&) const = default;
};

/// In the order of their names.
using NamedTensors = std::map<std::string, Tensor>;

}  // namespace neuopt
