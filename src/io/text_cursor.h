// Reads a text file token by token without copying it. Knows the file and the line, so that every error names them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace neuopt {

/// Bounds of an accepted number, both included.
struct NumberRange {
  double low;
  double high;
};

/// The text behind the byte order mark of UTF-8, which some editors put before it.
std::string_view without_byte_order_mark(std::string_view text);

/// A byte order mark is passed over. Blanks separate tokens; lines end with LF, CRLF or CR. The bytes must outlive the
/// cursor. All take_ functions throw InputError with file and line when the text is not what they expect; `what` names
/// the expected thing in the message.
class TextCursor {
 public:
  TextCursor(std::string_view bytes, std::string file);

  /// Skips blanks and line ends; true when nothing follows.
  bool at_end();
  /// Skips blanks; true when the line has nothing more.
  bool at_line_end();
  /// Skips blanks and line ends; true when a letter follows.
  bool at_keyword();

  /// The next token, in this line or a later one. Empty at the end of the text.
  std::string_view peek_token();
  /// A word of letters, digits and underscores that starts with a letter, and a colon after it if there is one.
  std::string_view take_keyword();
  /// The rest of the line without the blanks around it.
  std::string_view take_line();
  /// What stands before a separator in the rest of the line, without the blanks around it. The separator is passed.
  std::string_view take_before(char separator);

  /// The next token as a number, wherever it is.
  double take_number(std::string_view what, NumberRange range);
  int take_integer(std::string_view what, int low, int high);

  /// The same for a token that must be in the current line.
  std::string_view take_token_in_line(std::string_view what);
  double take_number_in_line(std::string_view what, NumberRange range);
  int take_integer_in_line(std::string_view what, int low, int high);

  /// Fails unless the line has nothing more.
  void expect_line_end();

  /// Bytes not yet read: no honest count in the file can exceed it.
  std::size_t remaining() const { return bytes_.size() - position_; }
  long line() const { return line_; }
  const std::string& file() const { return file_; }

  /// Throws InputError for the current line.
  [[noreturn]] void fail(const std::string& message) const;
  /// "expected WHAT, found TOKEN": the next token of the line, or its end, or the end of the file.
  [[noreturn]] void fail_expected(const std::string& what);

 private:
  std::string_view take_token();
  void require_in_line(std::string_view what);

  std::string_view bytes_;
  std::string file_;
  std::size_t position_ = 0;
  long line_ = 1;
};

}  // namespace neuopt
