#include "io/pickle.h"

#include <gtest/gtest.h>

#include "binary_samples.h"

namespace neuopt {
namespace {

using namespace std::string_literals;

PickleValue parse_one(const std::string& bytes) { return parse_pickle(bytes, "x").root; }

TEST(Pickle, ReadsEveryKindOfNumber) {
  EXPECT_EQ(parse_one("I-12\n.").integer, -12);
  EXPECT_EQ(parse_one("L123456789012L\n.").integer, 123456789012);
  EXPECT_EQ(parse_one("F-1.5e-3\n.").real, -1.5e-3);
  EXPECT_EQ(parse_one(std::string("J\xfe\xff\xff\xff.", 6)).integer, -2);
  EXPECT_EQ(parse_one("K\xff.").integer, 255);
  EXPECT_EQ(parse_one("M\x01\x02.").integer, 513);
  EXPECT_EQ(parse_one(std::string("G\x3f\xe0\0\0\0\0\0\0.", 10)).real, 0.5);
  EXPECT_EQ(parse_one(std::string("\x8a\x00.", 3)).integer, 0);
  EXPECT_EQ(parse_one(std::string("\x8a\x02\x00\xff.", 5)).integer, -256);
  EXPECT_EQ(parse_one("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.").integer, INT64_MAX);
  EXPECT_EQ(parse_one("I01\n.").kind, PickleKind::boolean);
  EXPECT_EQ(parse_one("N.").kind, PickleKind::none);
  EXPECT_EQ(parse_one("\x8c\x02hi.").kind, PickleKind::text);
}

TEST(Pickle, MemoSharesInsteadOfCopying) {
  // Each level holds the level below twice: 2^40 leaves, were they copied.
  std::string bytes = "(K\x01l";
  for (char level = 0; level < 40; ++level) {
    bytes += std::string("q") + level + "0(h" + level + "h" + level + "l";
  }
  const PickleDocument document = parse_pickle(bytes + ".", "x");
  EXPECT_EQ(document.containers.size(), 41u);
  EXPECT_EQ(document.items(document.root).size(), 2u);
}

TEST(Pickle, DeepNestingIsFlat) {
  const std::string deep = std::string(1'000'000, '(') + std::string(1'000'000, 'l') + ".";
  EXPECT_EQ(parse_pickle(deep, "x").containers.size(), 1'000'000u);
}

TEST(Pickle, AsksForTheMemoryOfItsValues) {
  const std::string lists = "(" + std::string(1 << 20, ']') + "l.";
  const auto parse = [&](double memory) { return parse_pickle(lists, "x", PickleObjects::refused, memory); };
  EXPECT_EQ(input_error([&] { parse(1e7); }),
            "x: the values of the pickle need about 67.1 MB of memory, 10.0 MB are allowed");
  EXPECT_EQ(parse(1e8).containers.size(), (1u << 20) + 1);
}

TEST(Pickle, RefusesWhateverImportsOrCalls) {
  EXPECT_EQ(input_error([] { parse_pickle("cos\nsystem\n(S'echo'\ntR.", "EVIL.pkl"); }),
            "EVIL.pkl: pickle, byte 0: GLOBAL would import and call code: refused");
  const std::pair<std::string, const char*> opcodes[] = {{"\x8c\x02os\x8c\x06system\x93.", "STACK_GLOBAL"},
                                                         {"N)R.", "REDUCE"},
                                                         {"NNb.", "BUILD"},
                                                         {"(ios\nsystem\n.", "INST"},
                                                         {"(No.", "OBJ"},
                                                         {"N)\x81.", "NEWOBJ"},
                                                         {"N))\x92.", "NEWOBJ_EX"},
                                                         {"\x82\x01.", "EXT1"},
                                                         {"\x83\x01\x01.", "EXT2"},
                                                         {"\x84\x01\x01\x01\x01.", "EXT4"},
                                                         {"Pid\n.", "PERSID"},
                                                         {"NQ.", "BINPERSID"},
                                                         {"\x97.", "NEXT_BUFFER"},
                                                         {"N\x98.", "READONLY_BUFFER"}};
  for (const auto& [bytes, name] : opcodes) {
    const std::string message = input_error([&, &evil = bytes] { parse_pickle(evil, "x"); });
    EXPECT_NE(message.find(std::string(": ") + name + " would import and call code: refused"), std::string::npos)
        << message;
  }
  EXPECT_THROW(parse_pickle(sample_bytes("numpy_array.pkl"), "x"), InputError);
}

TEST(Pickle, RefusesMalformedPrograms) {
  for (const char* bytes : {".",
                            "N",
                            "NN.",
                            "(.",
                            "a.",
                            "e.",
                            "l.",
                            "(e.",
                            "N(Ke.",
                            "(Nae.",
                            "N(Ne.",
                            "0.",
                            "1.",
                            "2.",
                            "\x85.",
                            "N\x86.",
                            "h\x01.",
                            "g-1\n.",
                            "p1\n.",
                            "Nr\xff\xff\xff\xff.",
                            "Ix\n.",
                            "Fnan\n.",
                            "I99999999999999999999\n.",
                            "\x80\x06N.",
                            "}.",
                            "\x8f.",
                            "N.N",
                            "hello"})
    EXPECT_THROW(parse_pickle(bytes, "x"), InputError) << bytes;
  EXPECT_THROW(parse_pickle("\x8a\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01.", "x"), InputError);
}

PickleValue describe(const std::string& bytes) { return parse_pickle(bytes, "x", PickleObjects::described).root; }

TEST(Pickle, DescribesObjectsWithoutMakingThem) {
  const std::string bytes = "cos\nsystem\n(X\x02\0\0\0hiK\x07tR."s;
  const PickleDocument document = parse_pickle(bytes, "x", PickleObjects::described);
  ASSERT_EQ(document.root.kind, PickleKind::call);
  const auto call = document.items(document.root);
  ASSERT_EQ(call[0].kind, PickleKind::global);
  EXPECT_EQ(document.text(document.items(call[0])[0]), "os");
  EXPECT_EQ(document.text(document.items(call[0])[1]), "system");
  ASSERT_EQ(call[1].kind, PickleKind::tuple);
  EXPECT_EQ(document.text(document.items(call[1])[0]), "hi");
  EXPECT_EQ(document.items(call[1])[1].integer, 7);
  EXPECT_EQ(describe("\x8c\x02os\x8c\x06system\x93.").kind, PickleKind::global);
  EXPECT_EQ(describe("K\x01Q.").kind, PickleKind::persistent);
}

TEST(Pickle, DescribesDictionaries) {
  for (const char* bytes : {"}K\x01K\x02s(K\x03K\x04u.",
                            "(K\x01K\x02K\x03K\x04"
                            "d.",
                            "ccollections\nOrderedDict\n)R(K\x01K\x02K\x03K\x04u}b."}) {
    const PickleDocument document = parse_pickle(bytes, "x", PickleObjects::described);
    ASSERT_EQ(document.root.kind, PickleKind::dictionary) << bytes;
    const auto items = document.items(document.root);
    ASSERT_EQ(items.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(items[i].integer, static_cast<std::int64_t>(i) + 1);
  }
}

TEST(Pickle, PassesOverWhatItDoesNotKnow) {
  for (const std::string& bytes :
       {"N)\x81."s, "N))\x92."s, "(ios\nsystem\n."s, "(No."s, "\x82\x01."s, "\x83\x01\x01."s, "\x84\x01\x01\x01\x01."s,
        "Pid\n."s, "\x8f(NN\x90."s, "(NN\x91."s, "N)R."s, "N)\x81(Ne(NNu."s, "\x8a\x09\1\1\1\1\1\1\1\1\1."s})
    EXPECT_EQ(describe(bytes).kind, PickleKind::opaque) << bytes;
}

TEST(Pickle, RefusesMalformedDescriptions) {
  for (const std::string& bytes :
       {"R."s, "NR."s, "K\x01K\x02\x93."s, "Q."s, "b."s, "Nb."s, "s."s, "}Ns."s, "}(Nu."s, "(Nd."s, "N(NNu."s, "\x81."s,
        "(\x90."s, "cos\n"s, "\x84\x01."s, "\x97."s, "N\x98."s})
    EXPECT_THROW(describe(bytes), InputError) << bytes;
}

}  // namespace
}  // namespace neuopt
