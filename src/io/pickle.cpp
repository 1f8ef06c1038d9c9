#include "io/pickle.h"

#include <bit>

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "io/pickle_reader.h"

namespace neuopt {
namespace {

struct RefusedOpcode {
  unsigned char code;
  const char* name;
};

constexpr RefusedOpcode calling_opcodes[] = {
    {'c', "GLOBAL"}, {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},     {'b', "BUILD"},        {'i', "INST"},
    {'o', "OBJ"},    {0x81, "NEWOBJ"},       {0x92, "NEWOBJ_EX"}, {0x82, "EXT1"},        {0x83, "EXT2"},
    {0x84, "EXT4"},  {'P', "PERSID"},        {'Q', "BINPERSID"},  {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"}};

constexpr RefusedOpcode unused_opcodes[] = {{'}', "a dictionary"}, {'d', "a dictionary"}, {'s', "a dictionary"},
                                            {'u', "a dictionary"}, {0x8f, "a set"},       {0x90, "a set"},
                                            {0x91, "a frozen set"}};

constexpr std::size_t kOpcodesBetweenQuestions = 1 << 20;

}  // namespace

PickleReader::PickleReader(std::string_view bytes, const std::string& file, PickleObjects objects, double memory)
    : bytes_(bytes), file_(file), objects_(objects), memory_(memory) {
  document_.bytes = bytes;
}

PickleDocument PickleReader::run() {
  for (std::size_t opcodes = 0;; ++opcodes) {
    if (opcodes % kOpcodesBetweenQuestions == 0) require_memory_after(opcodes);
    const std::size_t start = position_;
    const auto code = take<unsigned char>();
    if (code == '.') break;
    const bool plain =
        read_number(code) || read_text(code) || build_sequence(code) || change_stack(code) || use_memo(code);
    const bool described = !plain && objects_ == PickleObjects::described &&
                           (build_dictionary(code) || describe_object(code) || describe_stranger(code));
    if (!plain && !described) refuse(code, start);
  }
  if (position_ != bytes_.size()) fail("there are bytes after its end");
  if (stack_.size() != 1 || !marks_.empty()) fail("it does not end with one value");
  document_.root = stack_.back();
  return std::move(document_);
}

void PickleReader::require_memory_after(std::size_t opcodes) const {
  constexpr double kBytesOfOne = 64;  // a value in its container, the container itself or a place of the memo
  require_memory_to_read(kBytesOfOne * static_cast<double>(opcodes), memory_, file_, "the values of the pickle");
}

void PickleReader::fail(const std::string& message) const {
  throw InputError(file_, 0, "pickle, byte " + std::to_string(position_) + ": " + message);
}

void PickleReader::refuse(unsigned char code, std::size_t start) {
  position_ = start;
  for (const RefusedOpcode& opcode : calling_opcodes)
    if (opcode.code == code) fail(std::string(opcode.name) + " would import and call code: refused");
  for (const RefusedOpcode& opcode : unused_opcodes)
    if (opcode.code == code) fail(std::string(opcode.name) + ", expected only lists, tuples and numbers");
  fail("this is not a pickle: unknown opcode " + std::to_string(code));
}

// Reading the input.

std::string_view PickleReader::take_bytes(std::uint64_t size) {
  if (!has_range(bytes_, position_, size)) fail("the file ends here: truncated");
  const std::string_view taken = bytes_.substr(position_, size);
  position_ += size;
  return taken;
}

std::string_view PickleReader::take_line() {
  const std::size_t end = bytes_.find('\n', position_);
  if (end == std::string_view::npos) fail("the file ends here: truncated");
  const std::string_view line = take_bytes(end - position_);
  ++position_;
  return line;
}

/// A frame only announces how much could be read at once.
void PickleReader::skip_frame_header() {
  const auto size = take<std::uint64_t>();
  if (!has_range(bytes_, position_, size)) fail("a frame ends beyond the file: truncated");
}

// Values.

void PickleReader::push_integer(std::int64_t integer, PickleKind kind) {
  PickleValue value;
  value.kind = kind;
  value.integer = integer;
  stack_.push_back(value);
}

void PickleReader::push_real(double real) {
  PickleValue value;
  value.kind = PickleKind::real;
  value.real = real;
  stack_.push_back(value);
}

void PickleReader::push_text(std::string_view text) {
  PickleValue value;
  value.kind = PickleKind::text;
  value.text = {static_cast<std::uint32_t>(text.data() - bytes_.data()), static_cast<std::uint32_t>(text.size())};
  stack_.push_back(value);
}

void PickleReader::push_container(PickleKind kind, std::size_t count) {
  if (count > available()) fail("values are missing");
  PickleValue value;
  value.kind = kind;
  value.container = static_cast<std::uint32_t>(document_.containers.size());
  document_.containers.emplace_back(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
  stack_.resize(stack_.size() - count);
  stack_.push_back(value);
}

PickleValue& PickleReader::top() {
  if (available() == 0) fail("a value is missing");
  return stack_.back();
}

void PickleReader::drop(std::size_t count) {
  if (count > available()) fail("values are missing");
  stack_.resize(stack_.size() - count);
}

std::size_t PickleReader::pop_mark() {
  if (marks_.empty()) fail("a mark is missing");
  const std::size_t count = available();
  marks_.pop_back();
  return count;
}

void PickleReader::append(std::size_t count, PickleKind kind) {
  if (available() < count + 1) fail("a container is missing");
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  const PickleValue target = *(first - 1);
  if (target.is(kind)) {
    std::vector<PickleValue>& items = document_.containers[target.container];
    items.insert(items.end(), first, stack_.end());
  } else if (!target.is(PickleKind::call) && !target.is(PickleKind::opaque)) {
    fail("an item is added to something that cannot hold it");
  }
  drop(count);
}

// Opcodes by group. Each function returns false when the opcode is not of its group.

bool PickleReader::read_number(unsigned char code) {
  switch (code) {
    case 'I':
      read_int_line();
      return true;
    case 'L':
      read_long_line();
      return true;
    case 'F':
      read_float_line();
      return true;
    case 'J':
      push_integer(take<std::int32_t>());
      return true;
    case 'K':
      push_integer(take<std::uint8_t>());
      return true;
    case 'M':
      push_integer(take<std::uint16_t>());
      return true;
    case 'G':
      push_real(std::bit_cast<double>(__builtin_bswap64(take<std::uint64_t>())));  // stored big-endian
      return true;
    case 0x8a:
      read_long(take<std::uint8_t>());
      return true;
    case 0x8b:
      read_long(take<std::uint32_t>());
      return true;
    case 'N':
      push_kind(PickleKind::none);
      return true;
    case 0x88:
    case 0x89:
      push_integer(code == 0x88 ? 1 : 0, PickleKind::boolean);
      return true;
    default:
      return false;
  }
}

void PickleReader::read_int_line() {
  const std::string_view line = take_line();
  if (line == "00" || line == "01") {
    push_integer(line[1] - '0', PickleKind::boolean);
    return;
  }
  push_decimal(line);
}

void PickleReader::read_long_line() {
  std::string_view line = take_line();
  if (line.ends_with('L')) line.remove_suffix(1);
  push_decimal(line);
}

void PickleReader::push_decimal(std::string_view digits) {
  const std::optional<long long> value = parse_integer(digits);
  if (!value) fail("expected an integer of 64 bits, found " + quote_bytes(digits));
  push_integer(*value);
}

void PickleReader::read_float_line() {
  const std::string_view line = take_line();
  const std::optional<double> value = parse_number(line);
  if (!value) fail("expected a finite number, found " + quote_bytes(line));
  push_real(*value);
}

/// Two's complement, little-endian, of any length.
void PickleReader::read_long(std::uint32_t size) {
  const std::string_view digits = take_bytes(size);
  if (size > 8 && objects_ == PickleObjects::refused) fail("an integer does not fit into 64 bits");
  if (size > 8) return push_kind(PickleKind::opaque);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < digits.size(); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
  const bool negative = !digits.empty() && (static_cast<unsigned char>(digits.back()) & 0x80) != 0;
  if (negative && size < 8) value |= ~std::uint64_t{0} << (8 * size);
  push_integer(static_cast<std::int64_t>(value));
}

bool PickleReader::read_text(unsigned char code) {
  switch (code) {
    case 'S':
    case 'V':
      push_text(take_line());
      return true;
    case 'U':
    case 'C':
    case 0x8c:
      push_text(take_bytes(take<std::uint8_t>()));
      return true;
    case 'T':
    case 'X':
    case 'B':
      push_text(take_bytes(take<std::uint32_t>()));
      return true;
    case 0x8d:
    case 0x8e:
    case 0x96:
      push_text(take_bytes(take<std::uint64_t>()));
      return true;
    default:
      return false;
  }
}

bool PickleReader::build_sequence(unsigned char code) {
  switch (code) {
    case ']':
      push_container(PickleKind::list, 0);
      return true;
    case 'l':
      push_container(PickleKind::list, pop_mark());
      return true;
    case ')':
      push_container(PickleKind::tuple, 0);
      return true;
    case 't':
      push_container(PickleKind::tuple, pop_mark());
      return true;
    case 0x85:
    case 0x86:
    case 0x87:
      push_container(PickleKind::tuple, std::size_t{code} - 0x84);
      return true;
    case 'a':
      append(1, PickleKind::list);
      return true;
    case 'e':
      append(pop_mark(), PickleKind::list);
      return true;
    default:
      return false;
  }
}

bool PickleReader::change_stack(unsigned char code) {
  switch (code) {
    case '(':
      marks_.push_back(stack_.size());
      return true;
    case '0':
      drop(1);
      return true;
    case '1':
      drop(pop_mark());
      return true;
    case '2':
      stack_.push_back(PickleValue(top()));
      return true;
    case 0x80:
      if (take<std::uint8_t>() > 5) fail("expected a protocol from 0 to 5");
      return true;
    case 0x95:
      skip_frame_header();
      return true;
    default:
      return false;
  }
}

bool PickleReader::use_memo(unsigned char code) {
  switch (code) {
    case 'p':
      put(line_index());
      return true;
    case 'q':
      put(take<std::uint8_t>());
      return true;
    case 'r':
      put(take<std::uint32_t>());
      return true;
    case 0x94:
      put(memo_.size());
      return true;
    case 'g':
      get(line_index());
      return true;
    case 'h':
      get(take<std::uint8_t>());
      return true;
    case 'j':
      get(take<std::uint32_t>());
      return true;
    default:
      return false;
  }
}

std::uint64_t PickleReader::line_index() {
  const std::string_view line = take_line();
  const std::optional<long long> index = parse_integer(line);
  if (!index || *index < 0) fail("expected a memo index, found " + quote_bytes(line));
  return static_cast<std::uint64_t>(*index);
}

void PickleReader::put(std::uint64_t index) {
  // Writers count up from zero (protocol 0: from one), so an honest index is below the size of the file.
  if (index > bytes_.size()) fail("a memo index is too large");
  if (index >= memo_.size()) memo_.resize(index + 1);
  memo_[index] = top();
}

void PickleReader::get(std::uint64_t index) {
  if (index >= memo_.size() || !memo_[index]) fail("a memo entry is missing");
  stack_.push_back(*memo_[index]);
}

PickleDocument parse_pickle(std::string_view bytes, const std::string& file, PickleObjects objects, double memory) {
  // Containers are numbered by 32 bits, and each takes at least a byte.
  if (bytes.size() > UINT32_MAX) throw InputError(file, 0, "pickle: larger than 4 GiB");
  return PickleReader(bytes, file, objects, memory).run();
}

}  // namespace neuopt
