#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace neuopt {
namespace {

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

template <typename Number>
std::optional<Number> parse_whole(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::size_t utf8_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  if ((lead == 0xe0 && at(1) < 0xa0) || (lead == 0xed && at(1) > 0x9f)) return 0;
  if ((lead == 0xf0 && at(1) < 0x90) || (lead == 0xf4 && at(1) > 0x8f)) return 0;
  return length;
}

std::string quote_bytes(std::string_view bytes, std::size_t limit) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result = "'";
  for (const char c : bytes.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_control(byte) || byte >= 0x80) {
      result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      result += c;
    }
  }
  result += bytes.size() > limit ? "...'" : "'";
  return result;
}

std::string printable_text(std::string_view bytes) {
  const bool valid = is_utf8(bytes);
  std::string result(bytes);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      c = ' ';
    } else if (is_control(byte) || (byte >= 0x80 && !valid)) {
      c = '?';
    }
  }
  return result;
}

std::string shell_word(std::string_view bytes) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./+,:@%=").find(c) != std::string_view::npos;
  };
  if (!bytes.empty() && std::all_of(bytes.begin(), bytes.end(), plain)) return std::string(bytes);
  std::string word = "'";
  for (const char c : bytes) {
    if (c == '\'')
      word += R"('\'')";
    else
      word += c;
  }
  return word + "'";
}

std::string harmless_name(std::string_view text) {
  std::string name;
  bool gap = false;
  for (const char c : text) {
    const bool harmless = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (name.size() < 59 && harmless) {
      if (gap && !name.empty()) name += '-';
      name += c;
    }
    gap = !harmless;
  }
  return name.empty() ? "instance" : name;
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  for (char& letter : upper)
    if (letter >= 'a' && letter <= 'z') letter += 'A' - 'a';
  return upper;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter += 'a' - 'A';
  return lower;
}

std::string json_number(double number, int digits) {
  return std::isfinite(number) ? fmt::format("{:.{}g}", number, digits) : "null";
}

std::optional<double> parse_number(std::string_view text) {
  const auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<long long> parse_integer(std::string_view text) { return parse_whole<long long>(text); }

}  // namespace neuopt
