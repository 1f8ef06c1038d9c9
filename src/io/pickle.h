// Reads pickled lists and tuples of numbers (protocols 0 to 5) without ever executing anything: an allow-list of
// opcodes builds plain values, every opcode that would import or call something is refused by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neuopt {

enum class PickleKind : std::uint8_t { none, boolean, integer, real, text, list, tuple };

/// One value. Containers are named by their index in the document, so that a value is small and shared containers
/// (memo references) stay shared.
struct PickleValue {
  PickleKind kind = PickleKind::none;
  union {
    std::int64_t integer;     // boolean (0 or 1) and integer
    double real;              // real
    std::uint32_t container;  // list and tuple
  };
  PickleValue() : integer(0) {}

  bool is_number() const { return kind == PickleKind::integer || kind == PickleKind::real; }
  bool is_sequence() const { return kind == PickleKind::list || kind == PickleKind::tuple; }
  /// The value of a number, as a double.
  double number() const { return kind == PickleKind::real ? real : static_cast<double>(integer); }
};

struct PickleDocument {
  PickleValue root;
  std::vector<std::vector<PickleValue>> containers;

  /// Elements of a list or tuple. Lists may contain themselves: bound your descent.
  std::span<const PickleValue> items(const PickleValue& sequence) const { return containers[sequence.container]; }
};

/// Throws InputError, starting with `file`, when the bytes are not a pickle of the kinds above. The content of texts
/// is not kept.
PickleDocument parse_pickle(std::string_view bytes, const std::string& file);

}  // namespace neuopt
