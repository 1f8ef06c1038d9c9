// Bytes of unknown origin made fit for messages and names, and numbers read without regard to the locale.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace neuopt {

/// Bytes of the character at the start of a text that is not empty; 0 when these are no valid UTF-8.
std::size_t utf8_length(std::string_view bytes);

/// The bytes in single quotes for an error message: at most `limit` of them, what is not printable ASCII as \xNN.
std::string quote_bytes(std::string_view bytes, std::size_t limit = 40);

/// The bytes as valid UTF-8 without control characters, so that any terminal or JSON writer can take them: tabs
/// become blanks, other control bytes and, when the whole is not valid UTF-8, all bytes above 127 become '?'.
std::string printable_text(std::string_view bytes);

/// The bytes as one word of a shell's command, in single quotes where it needs them.
std::string shell_word(std::string_view bytes);

/// A name for a file, without its ending: letters, digits, '-' and '_' of the text, at most 60, each stretch of
/// anything else as one '-'. "instance" when nothing is left.
std::string harmless_name(std::string_view text);

/// The text with its ASCII letters in capitals, and in small ones. Never depends on the locale.
std::string upper_case(std::string_view text);
std::string lower_case(std::string_view text);

/// The number as JSON, with so many digits; what is not finite is null.
std::string json_number(double number, int digits);

/// The whole text as a finite number ("12", "-1.5e+3", "+7"), or nothing. Never depends on the locale.
std::optional<double> parse_number(std::string_view text);

/// The whole text as an integer in decimal digits, with an optional sign, or nothing.
std::optional<long long> parse_integer(std::string_view text);

}  // namespace neuopt
