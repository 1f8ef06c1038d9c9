#include "io/text_cursor.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace neuopt {
namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool is_keyword_part(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

std::string_view without_trailing_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

TextCursor::TextCursor(std::string_view bytes, std::string file)
    : bytes_(without_byte_order_mark(bytes)), file_(std::move(file)) {}

bool TextCursor::at_line_end() {
  while (position_ < bytes_.size() && is_blank(bytes_[position_])) ++position_;
  return position_ == bytes_.size() || is_line_end(bytes_[position_]);
}

bool TextCursor::at_end() {
  while (at_line_end()) {
    if (position_ == bytes_.size()) return true;
    const bool pair = bytes_[position_] == '\r' && position_ + 1 < bytes_.size() && bytes_[position_ + 1] == '\n';
    position_ += pair ? 2 : 1;
    ++line_;
  }
  return false;
}

bool TextCursor::at_keyword() { return !at_end() && is_letter(bytes_[position_]); }

std::string_view TextCursor::peek_token() {
  if (at_end()) return {};
  std::size_t end = position_;
  while (end < bytes_.size() && !is_blank(bytes_[end]) && !is_line_end(bytes_[end])) ++end;
  return bytes_.substr(position_, end - position_);
}

std::string_view TextCursor::take_token() {
  const std::string_view token = peek_token();
  position_ += token.size();
  return token;
}

std::string_view TextCursor::take_keyword() {
  if (!at_keyword()) fail_expected("a keyword");
  const std::size_t start = position_;
  while (position_ < bytes_.size() && is_keyword_part(bytes_[position_])) ++position_;
  const std::string_view keyword = bytes_.substr(start, position_ - start);
  if (!at_line_end() && bytes_[position_] == ':') ++position_;
  return keyword;
}

std::string_view TextCursor::take_line() {
  if (at_line_end()) return {};
  const std::size_t start = position_;
  while (position_ < bytes_.size() && !is_line_end(bytes_[position_])) ++position_;
  return without_trailing_blanks(bytes_.substr(start, position_ - start));
}

std::string_view TextCursor::take_before(char separator) {
  at_line_end();
  std::size_t end = position_;
  while (end < bytes_.size() && !is_line_end(bytes_[end]) && bytes_[end] != separator) ++end;
  if (end == bytes_.size() || bytes_[end] != separator) fail(fmt::format("expected '{}' in this line", separator));
  const std::string_view before = bytes_.substr(position_, end - position_);
  position_ = end + 1;
  return without_trailing_blanks(before);
}

double TextCursor::take_number(std::string_view what, NumberRange range) {
  const auto value = parse_number(peek_token());
  if (!value || *value < range.low || *value > range.high) {
    fail_expected(fmt::format("{}, a number from {:g} to {:g}", what, range.low, range.high));
  }
  take_token();
  return *value;
}

int TextCursor::take_integer(std::string_view what, int low, int high) {
  const auto value = parse_integer(peek_token());
  if (!value || *value < low || *value > high) {
    fail_expected(fmt::format("{}, an integer from {} to {}", what, low, high));
  }
  take_token();
  return static_cast<int>(*value);
}

std::string_view TextCursor::take_token_in_line(std::string_view what) {
  require_in_line(what);
  return take_token();
}

double TextCursor::take_number_in_line(std::string_view what, NumberRange range) {
  require_in_line(what);
  return take_number(what, range);
}

int TextCursor::take_integer_in_line(std::string_view what, int low, int high) {
  require_in_line(what);
  return take_integer(what, low, high);
}

void TextCursor::expect_line_end() {
  if (!at_line_end()) fail_expected("the end of the line");
}

void TextCursor::require_in_line(std::string_view what) {
  if (at_line_end()) fail_expected(std::string(what));
}

void TextCursor::fail(const std::string& message) const { throw InputError(file_, line_, message); }

void TextCursor::fail_expected(const std::string& what) {
  const std::string found = !at_line_end()               ? quote_bytes(peek_token())
                            : position_ == bytes_.size() ? "the end of the file"
                                                         : "the end of the line";
  fail("expected " + what + ", found " + found);
}

}  // namespace neuopt
