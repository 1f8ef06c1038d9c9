#include "core/text.h"

#include <gtest/gtest.h>

#include <string>

namespace neuopt {
namespace {

using namespace std::string_view_literals;

TEST(Text, QuoteShortensAndEscapes) {
  EXPECT_EQ(quote_bytes("abc"), "'abc'");
  EXPECT_EQ(quote_bytes(""), "''");
  EXPECT_EQ(quote_bytes("a\0\n\xff"sv), "'a\\x00\\x0a\\xff'");
  EXPECT_EQ(quote_bytes(std::string(50, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(Text, PrintableKeepsUtf8AndReplacesTheRest) {
  EXPECT_EQ(printable_text("Gr\xc3\xb6tschel"), "Gr\xc3\xb6tschel");
  EXPECT_EQ(printable_text("Gr\xf6tschel"), "Gr?tschel");
  EXPECT_EQ(printable_text("a\tb\x01\x7f"), "a b??");
}

TEST(Text, PrintableRefusesMalformedUtf8) {
  for (const auto bad : {"\xc0\xaf"sv, "\xe0\x80\xaf"sv, "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\xf0\x80\x80\x80"sv,
                         "\xe2\x82"sv, "\x80"sv, "\xff"sv}) {
    EXPECT_EQ(printable_text(bad), std::string(bad.size(), '?'));
  }
  EXPECT_EQ(printable_text("\xe2\x82\xac\xf0\x9f\x9a\x9a"), "\xe2\x82\xac\xf0\x9f\x9a\x9a");
}

TEST(Text, WordsOfAShellAreQuotedWhereNeeded) {
  EXPECT_EQ(shell_word("runs/tsp-50_b.2"), "runs/tsp-50_b.2");
  EXPECT_EQ(shell_word("r \xc3\xbc"), "'r \xc3\xbc'");
  EXPECT_EQ(shell_word("it's $x"), "'it'\\''s $x'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Text, NamesOfFilesAreHarmless) {
  EXPECT_EQ(harmless_name("X-n101-k25"), "X-n101-k25");
  EXPECT_EQ(harmless_name("tsp20#3"), "tsp20-3");
  EXPECT_EQ(harmless_name("../a b/\r\n<c>"), "a-b-c");
  EXPECT_EQ(harmless_name("\xff//.."), "instance");
  EXPECT_EQ(harmless_name(""), "instance");
  EXPECT_LE(harmless_name(std::string(1000, 'x')).size(), 60u);
}

TEST(Text, OnlyTheLettersOfAsciiHaveTwoCases) {
  EXPECT_EQ(upper_case("Dimension: 5 \xc3\xa9i"), "DIMENSION: 5 \xc3\xa9I");
  EXPECT_EQ(lower_case("Route #1 \xc3\x89I"), "route #1 \xc3\x89i");
}

TEST(Text, NumbersAreWholeAndFinite) {
  EXPECT_EQ(parse_number("1.5e+3"), 1500.0);
  EXPECT_EQ(parse_number("+7"), 7.0);
  EXPECT_EQ(parse_number("-.5"), -0.5);
  for (const auto bad : {"", "+", "-", "+-1", "++1", "1,5", "1.5x", " 1", "nan", "inf", "-inf", "1e999", "0x10"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(Text, IntegersAreWholeAndInRange) {
  EXPECT_EQ(parse_integer("-42"), -42);
  EXPECT_EQ(parse_integer("+42"), 42);
  for (const auto bad : {"", "+", "1.0", "1e3", "99999999999999999999", "+-1", "0x1"}) {
    EXPECT_FALSE(parse_integer(bad)) << bad;
  }
}

}  // namespace
}  // namespace neuopt
