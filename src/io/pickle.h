// Reads pickles (protocols 0 to 5) without ever executing anything: an allow-list of opcodes builds plain values. What
// would import or call something is refused by name, or, where a file cannot be had without, described as data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neuopt {

enum class PickleKind : std::uint8_t {
  none,
  boolean,
  integer,
  real,
  text,
  list,
  tuple,
  // With PickleObjects::described only:
  dictionary,  // key, value, key, value, ...
  global,      // module, name: what a pickle would import
  call,        // global, arguments: what a pickle would call
  persistent,  // the name of something kept outside the pickle
  opaque       // anything else; nothing of it is kept
};

/// What happens to dictionaries, sets and everything that a pickle would import or call.
enum class PickleObjects { refused, described };

/// Where a text stands in the pickle.
struct PickleText {
  std::uint32_t offset, size;
};

/// One value. Containers are named by their index in the document, so that a value is small and shared containers
/// (memo references) stay shared.
struct PickleValue {
  PickleKind kind = PickleKind::none;
  union {
    std::int64_t integer;     // boolean (0 or 1) and integer
    double real;              // real
    std::uint32_t container;  // list, tuple, dictionary, global, call and persistent
    PickleText text;          // text
  };
  PickleValue() : integer(0) {}

  bool is(PickleKind wanted) const { return kind == wanted; }
  bool is_number() const { return is(PickleKind::integer) || is(PickleKind::real); }
  bool is_sequence() const { return is(PickleKind::list) || is(PickleKind::tuple); }
  /// The value of a number, as a double.
  double number() const { return is(PickleKind::real) ? real : static_cast<double>(integer); }
};

/// The values of a pickle, whose bytes must outlive it.
struct PickleDocument {
  PickleValue root;
  std::vector<std::vector<PickleValue>> containers;
  std::string_view bytes;

  /// What a value with items consists of. Lists and dictionaries may contain themselves: bound your descent.
  std::span<const PickleValue> items(const PickleValue& value) const { return containers[value.container]; }
  /// A text as it stands in the pickle (protocol 0: with quotes and escapes).
  std::string_view text(const PickleValue& value) const { return bytes.substr(value.text.offset, value.text.size); }
};

/// Throws InputError, starting with `file`, when the bytes are not a pickle of the kinds above, or when its values
/// would take more than `memory` bytes; 0: what is free.
PickleDocument parse_pickle(std::string_view bytes, const std::string& file,
                            PickleObjects objects = PickleObjects::refused, double memory = 0);

}  // namespace neuopt
