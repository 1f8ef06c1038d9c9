// Files of settings: what is read, what is refused, and texts that come back as they were.
#include "io/settings_file.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/input_error.h"

namespace neuopt {
namespace {

using Values = std::vector<std::string>;

Values values_of(const std::string& value) {
  const std::vector<SettingLine> settings = parse_settings("key = " + value, "file");
  EXPECT_EQ(settings.size(), 1u);
  return settings.at(0).values;
}

std::string error_of(const std::string& text) {
  return input_error([&] { parse_settings(text, "file"); });
}

TEST(SettingsFile, HasAKeyAndItsValueOnEachLine) {
  const std::vector<SettingLine> settings =
      parse_settings("# sizes\n\nsize=20 # nodes\r\n\t rate = 1e-4\nlast = true", "file");
  ASSERT_EQ(settings.size(), 3u);
  EXPECT_EQ(settings[0].key, "size");
  EXPECT_EQ(settings[0].values, Values{"20"});
  EXPECT_EQ(settings[0].line, 3);
  EXPECT_EQ(settings[1].key, "rate");
  EXPECT_EQ(settings[1].line, 4);
  EXPECT_EQ(settings[2].values, Values{"true"});
  EXPECT_TRUE(parse_settings("", "file").empty());
}

TEST(SettingsFile, MayBeginWithAByteOrderMark) {
  const std::string mark = "\xef\xbb\xbf";
  const std::vector<SettingLine> settings = parse_settings(mark + "size = 20\nb = 1", "file");
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[0].key, "size");
  EXPECT_EQ(settings[1].line, 2);
  EXPECT_TRUE(parse_settings(mark, "file").empty());
  EXPECT_EQ(error_of(mark + "a"), "file:1: expected key = value");
}

TEST(SettingsFile, ValuesAreWordsTextsOrLists) {
  EXPECT_EQ(values_of("100,300"), Values{"100,300"});
  EXPECT_EQ(values_of("\"sets#1/a b.npz\"  # a comment"), Values{"sets#1/a b.npz"});
  EXPECT_EQ(values_of("'as it \\ stands'"), Values{"as it \\ stands"});
  EXPECT_EQ(values_of("\"\""), Values{""});
  EXPECT_EQ(values_of(R"("\"\\\n\t\r")"), Values{"\"\\\n\t\r"});
  EXPECT_EQ(values_of("[ 100, 300 ,]"), (Values{"100", "300"}));
  EXPECT_EQ(values_of("[\"a,b\", c]"), (Values{"a,b", "c"}));
  EXPECT_EQ(values_of("[]"), Values{});
}

TEST(SettingsFile, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("a = 1\nb"), "file:2: expected key = value");
  EXPECT_EQ(error_of("[train]"), "file:1: expected key = value");
  EXPECT_EQ(error_of("= 3"), "file:1: expected key = value");
  EXPECT_EQ(error_of("a ="), "file:1: expected a value");
  EXPECT_EQ(error_of("a = my set"), "file:1: 'set' follows the value; a text with blanks stands in quotes");
  EXPECT_EQ(error_of("a = \"my set"), "file:1: the text has no \" at its end");
  EXPECT_EQ(error_of("a = \"my\\set\""), "file:1: expected \\\\, \\\", \\n, \\t or \\r where the text has a backslash");
  EXPECT_EQ(error_of("a = \"my\\"), "file:1: expected \\\\, \\\", \\n, \\t or \\r where the text has a backslash");
  EXPECT_EQ(error_of("a = [1, 2"), "file:1: expected , or ] in the list");
  EXPECT_EQ(error_of("a = [1,"), "file:1: expected a value");
  EXPECT_EQ(error_of("a = [1 2]"), "file:1: expected , or ] in the list");
  EXPECT_EQ(error_of("a = 1\n\na = 2"), "file:3: 'a' stands in line 1 already");
}

TEST(SettingsFile, AnyTextComesBackAsItWas) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& text : {std::string(), all, std::string("a # b"), std::string("\\"), std::string("\"]")}) {
    const std::string quoted = quoted_setting(text);
    EXPECT_EQ(quoted.find('\n'), quoted.npos);
    EXPECT_EQ(values_of(quoted), Values{text});
    EXPECT_EQ(values_of("[" + quoted + "]"), Values{text});
  }
}

/// Every byte of a file changed to every other, and every beginning: settings or an InputError, nothing else.
TEST(SettingsFile, AnyBytesAreSettingsOrAnError) {
  const std::string text = "a = [1, \"x\\n\"] # c\nb = 'y'\nc = 2";
  int read = 0, refused = 0;
  const auto attempt = [&](const std::string& bytes) {
    try {
      parse_settings(bytes, "file");
      ++read;
    } catch (const InputError&) {
      ++refused;
    }
  };
  for (std::size_t length = 0; length < text.size(); ++length) attempt(text.substr(0, length));
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      attempt(changed);
    }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace neuopt
