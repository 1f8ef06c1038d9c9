#include "io/search_log.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "io/search_log_sample.h"

namespace neuopt {
namespace {

using samples::kHeader;
using samples::small_log;
using samples::step_line;

TEST(SearchLog, ReadsWhatTheSolverWrites) {
  const SearchLog log = parse_search_log(small_log(), "t");
  EXPECT_EQ(log.customers, 10);
  ASSERT_EQ(log.copies.size(), 1u);
  ASSERT_EQ(log.copies[0].size(), 6u);
  EXPECT_FALSE(log.copies[0][0].feasible);
  EXPECT_EQ(log.copies[0][5].best, 8.5);
  EXPECT_TRUE(looks_like_search_log(small_log()));
}

TEST(SearchLog, EveryCutReadsOrIsRefused) {
  const std::string whole = small_log();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    try {
      const SearchLog log = parse_search_log(whole.substr(0, length), "t");
      EXPECT_LE(log.copies.at(0).size(), 6u);
    } catch (const InputError&) {
    }
  }
}

TEST(SearchLog, EveryChangedByteReadsOrIsRefused) {
  const std::string whole = small_log();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char byte : {'\0', '"', '9', '-', 'e', '\n', '{', '\xff'}) {
      std::string changed = whole;
      changed[at] = byte;
      try {
        const SearchLog log = parse_search_log(changed, "t");
        EXPECT_EQ(log.copies.size(), 1u);
      } catch (const InputError&) {
      }
    }
}

TEST(SearchLog, BracketsInANameAreNoNesting) {
  std::string text = small_log();
  text.replace(text.find(R"("a")"), 3, '"' + std::string(200, '[') + R"(\"{")");
  EXPECT_EQ(parse_search_log(text, "t").copies.at(0).size(), 6u);
  EXPECT_THROW(parse_search_log(std::string(200, '[') + "\n", "t"), InputError);
}

TEST(SearchLog, SaysWhatIsWrongAndWhere) {
  const auto message = [](const std::string& text) {
    try {
      parse_search_log(text, "t");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message(""), "t: no log of a search; 'neuopt solve --trace' writes one");
  EXPECT_EQ(message("hello\n"), "t:1: 'hello', expected a JSON object");
  EXPECT_EQ(message(step_line(1, 1, 1, true)), "t:1: expected the header of a search log");
  EXPECT_EQ(message(kHeader + step_line(2, 1, 1, true)), "t:2: step 2 of copy 0, expected step 1");
  EXPECT_TRUE(message(std::string(kHeader) + "{\"type\":\"step\",\"copy\":0,\"step\":1}\n")
                  .starts_with("t:2: unexpected content"));
  EXPECT_TRUE(message(std::string(kHeader) + kHeader).starts_with("t:2: a second header"));
}

}  // namespace
}  // namespace neuopt
