#include "core/philox.h"

#include <gtest/gtest.h>

#include <set>

namespace neuopt {
namespace {

struct KnownAnswer {
  Philox4 counter;
  std::uint32_t key0, key1;
  Philox4 expected;
};

// The known answers that the authors of Philox publish for philox4x32-10.
const KnownAnswer kKnownAnswers[] = {
    {{{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     0xffffffff,
     0xffffffff,
     {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     0xa4093822,
     0x299f31d0,
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
};

TEST(Philox, GivesThePublishedAnswers) {
  for (const KnownAnswer& known : kKnownAnswers) {
    const Philox4 block = philox4x32(known.counter, known.key0, known.key1);
    for (int word = 0; word < 4; ++word) EXPECT_EQ(block.word[word], known.expected.word[word]) << word;
  }
}

TEST(Philox, EveryPartOfTheKeyMatters) {
  const Random random{1};
  std::set<std::uint32_t> first_words;
  first_words.insert(random.words(Draw::decode, 0, 0, 0, 0).word[0]);
  first_words.insert(random.words(Draw::start, 0, 0, 0, 0).word[0]);
  first_words.insert(random.words(Draw::decode, 1, 0, 0, 0).word[0]);
  first_words.insert(random.words(Draw::decode, 0, 1, 0, 0).word[0]);
  first_words.insert(random.words(Draw::decode, 0, 0, 1, 0).word[0]);
  first_words.insert(random.words(Draw::decode, 0, 0, 0, 1).word[0]);
  first_words.insert(Random{2}.words(Draw::decode, 0, 0, 0, 0).word[0]);
  first_words.insert(Random{1ull << 32 | 1}.words(Draw::decode, 0, 0, 0, 0).word[0]);
  EXPECT_EQ(first_words.size(), 8u);
}

TEST(Philox, UniformFloatStaysBelowOne) {
  EXPECT_EQ(uniform_float(0), 0.0f);
  EXPECT_LT(uniform_float(0xffffffff), 1.0f);
  EXPECT_EQ(uniform_float(0x80000000), 0.5f);
}

TEST(Philox, UniformBelowCoversItsRangeEvenly) {
  constexpr int bound = 9, draws = 90000;
  int count[bound] = {};
  for (std::uint32_t i = 0; i < draws; ++i) {
    const std::uint32_t value = uniform_below(Random{3}.words(Draw::test, i, 0, 0, 0).word[2], bound);
    ASSERT_LT(value, static_cast<std::uint32_t>(bound));
    ++count[value];
  }
  // Six standard deviations of a count with mean 10,000.
  for (const int seen : count) EXPECT_NEAR(seen, draws / bound, 6 * 95);
}

}  // namespace
}  // namespace neuopt
