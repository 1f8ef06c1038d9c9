// Arrays of Python as the library's numbers and back.
#pragma once

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "module.h"

namespace neuopt::python {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Numbers beyond it have no distances; files allow far less.
inline constexpr double kLargest = 1e100;

/// Any array as one of doubles; what is accepted, neuopt._arrays says. Raises ValueError for an array that is none.
/// What is not finite is left to others to name.
inline std::optional<Array> to_array(const char* what, const py::object& object) {
  if (object.is_none()) return std::nullopt;
  const Array array(py::module_::import("neuopt._arrays").attr("array")(object, what));
  for (py::ssize_t i = 0; i < array.size(); ++i)
    if (const double number = array.data()[i]; std::isfinite(number) && std::abs(number) > kLargest)
      throw InputError(fmt::format("{}: {}, expected numbers up to {}", what, number, kLargest));
  return array;
}

/// A whole number from `least` on, whatever holds it, as neuopt._arrays says. Raises ValueError for what is none.
inline std::optional<int> to_whole(const char* what, const py::object& object, int least) {
  if (object.is_none()) return std::nullopt;
  return py::module_::import("neuopt._arrays").attr("whole")(object, what, least).cast<int>();
}

inline std::string shape_of(const Array& array) {
  std::string text;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", array.shape(i));
  return fmt::format("({}{})", text, array.ndim() == 1 ? "," : "");
}

inline std::vector<double> values(const Array& array) { return {array.data(), array.data() + array.size()}; }

/// Arrays as pickle keeps them.
inline py::bytes to_bytes(const std::vector<double>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

inline std::vector<double> from_bytes(const py::handle& object) {
  const auto bytes = object.cast<std::string_view>();
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}

}  // namespace neuopt::python
