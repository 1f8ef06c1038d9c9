// Files of settings: `key = value` on each line, which is the part of TOML that settings need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace neuopt {

struct SettingLine {
  std::string key;
  std::vector<std::string> values;  // more or less than one in a list only
  long line = 0;
};

/// A value is a word, a text in quotes or a list of these in brackets; a # outside quotes begins a comment. A byte
/// order mark is passed over. Throws InputError with file and line for anything else, and for a key that stands there
/// twice.
std::vector<SettingLine> parse_settings(std::string_view text, const std::string& filename);

/// A text as it stands in such a file: in quotes, on one line, read back as the same bytes.
std::string quoted_setting(std::string_view text);

}  // namespace neuopt
