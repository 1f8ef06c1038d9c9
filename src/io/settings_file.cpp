#include "io/settings_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/text.h"
#include "io/text_cursor.h"

namespace neuopt {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kEscaped = "\"\\ntr", kMeant = "\"\\\n\t\r";  // what follows a backslash, and what it means

class LineReader {
 public:
  LineReader(std::string_view line, const std::string& filename, long number)
      : rest_(line), filename_(&filename), number_(number) {
    skip_blanks();
  }

  bool at_end() const { return rest_.empty() || rest_[0] == '#'; }

  SettingLine take_setting() {
    SettingLine setting{.key = take_key(), .values = {}, .line = number_};
    if (!take('=')) fail("expected key = value");
    if (take('['))
      setting.values = take_list();
    else
      setting.values.push_back(take_value(" \t\r#\"'"));
    if (!at_end()) fail(fmt::format("{} follows the value; a text with blanks stands in quotes", quote_bytes(rest_)));
    return setting;
  }

  [[noreturn]] void fail(const std::string& message) const { throw InputError(*filename_, number_, message); }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size())); }

  bool take(char wanted) {
    if (rest_.empty() || rest_[0] != wanted) return false;
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }

  /// Everything up to the first of `ends`.
  std::string_view take_until(std::string_view ends) {
    const std::string_view taken = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string take_key() {
    const std::string key(take_until(" \t\r=#[]\"'"));
    skip_blanks();
    if (key.empty()) fail("expected key = value");
    return key;
  }

  std::vector<std::string> take_list() {
    std::vector<std::string> values;
    while (!take(']')) {
      values.push_back(take_value(" \t\r#\"'[],"));
      if (!take(',') && (rest_.empty() || rest_[0] != ']')) fail("expected , or ] in the list");
    }
    return values;
  }

  /// A text in quotes, or a word up to the first of `ends`.
  std::string take_value(std::string_view ends) {
    std::string value;
    if (!rest_.empty() && (rest_[0] == '"' || rest_[0] == '\'')) {
      value = take_quoted(rest_[0]);
    } else {
      value = take_until(ends);
      if (value.empty()) fail("expected a value");
    }
    skip_blanks();
    return value;
  }

  /// Between single quotes a backslash is a letter like any other.
  std::string take_quoted(char quote) {
    rest_.remove_prefix(1);
    std::string text;
    for (; !rest_.empty() && rest_[0] != quote; rest_.remove_prefix(1)) {
      if (rest_[0] == '\\' && quote == '"')
        text += take_escaped();
      else
        text += rest_[0];
    }
    if (rest_.empty()) fail(fmt::format("the text has no {} at its end", quote));
    rest_.remove_prefix(1);
    return text;
  }

  /// Leaves the escaped letter to be passed over.
  char take_escaped() {
    rest_.remove_prefix(1);
    const std::size_t which = rest_.empty() ? kEscaped.npos : kEscaped.find(rest_[0]);
    if (which == kEscaped.npos) fail("expected \\\\, \\\", \\n, \\t or \\r where the text has a backslash");
    return kMeant[which];
  }

  std::string_view rest_;
  const std::string* filename_;
  long number_;
};

}  // namespace

std::vector<SettingLine> parse_settings(std::string_view text, const std::string& filename) {
  std::vector<SettingLine> settings;
  std::map<std::string, long> lines;
  text = without_byte_order_mark(text);
  for (long number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    LineReader reader(line, filename, number);
    if (reader.at_end()) continue;
    settings.push_back(reader.take_setting());
    const std::string& key = settings.back().key;
    const auto [known, added] = lines.emplace(key, number);
    if (!added) reader.fail(fmt::format("{} stands in line {} already", quote_bytes(key), known->second));
  }
  return settings;
}

std::string quoted_setting(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (const std::size_t which = kMeant.find(c); which != kMeant.npos)
      (quoted += '\\') += kEscaped[which];
    else
      quoted += c;
  }
  return quoted + '"';
}

}  // namespace neuopt
