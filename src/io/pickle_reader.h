// The stack machine of the pickle format, without the part that imports and calls. Internal to src/io: numbers, texts,
// lists, stack and memo are in pickle.cpp, dictionaries and descriptions of objects in pickle_objects.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_view.h"
#include "io/pickle.h"

namespace neuopt {

class PickleReader {
 public:
  PickleReader(std::string_view bytes, const std::string& file, PickleObjects objects, double memory);

  PickleDocument run();

 private:
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void refuse(unsigned char code, std::size_t start);
  /// Asked now and then: a byte may make a container, and a list of them grows to twice its size.
  void require_memory_after(std::size_t opcodes) const;

  // Reading the input.
  template <typename Number>
  Number take();
  std::string_view take_bytes(std::uint64_t size);
  std::string_view take_line();
  void skip_frame_header();

  // Values.
  void push_integer(std::int64_t integer, PickleKind kind = PickleKind::integer);
  void push_real(double real);
  void push_kind(PickleKind kind) { push_integer(0, kind); }
  void push_text(std::string_view text);
  /// Replaces the last `count` values by a container of them.
  void push_container(PickleKind kind, std::size_t count);
  /// Values above the last mark.
  std::size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  PickleValue& top();
  void drop(std::size_t count);
  /// Removes the last mark; returns how many values stand above it.
  std::size_t pop_mark();
  /// Moves the last `count` values to the end of the container of that kind below them.
  void append(std::size_t count, PickleKind kind);

  // Opcodes by group. Each function returns false when the opcode is not of its group.
  bool read_number(unsigned char code);
  bool read_text(unsigned char code);
  bool build_sequence(unsigned char code);
  bool change_stack(unsigned char code);
  bool use_memo(unsigned char code);
  bool build_dictionary(unsigned char code);
  bool describe_object(unsigned char code);
  bool describe_stranger(unsigned char code);

  void read_int_line();
  void read_long_line();
  void push_decimal(std::string_view digits);
  void read_float_line();
  void read_long(std::uint32_t size);
  void describe_global();
  void describe_call();
  std::uint64_t line_index();
  void put(std::uint64_t index);
  void get(std::uint64_t index);

  std::string_view bytes_;
  const std::string& file_;
  PickleObjects objects_;
  double memory_;  // bytes that the values may take; 0: what is free
  std::size_t position_ = 0;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;  // height of the stack at each open mark
  std::vector<std::optional<PickleValue>> memo_;
  PickleDocument document_;
};

template <typename Number>
Number PickleReader::take() {
  const std::optional<Number> value = load_number<Number>(bytes_, position_);
  if (!value) fail("the file ends here: truncated");
  position_ += sizeof(Number);
  return *value;
}

}  // namespace neuopt
