#include "io/sealed_file.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

constexpr SealedKind kBox{.name = "box", .format = "test-box", .version = "3", .stranger = "no box"};

class SealedFileTest : public ::testing::Test {
 protected:
  std::string write(const SealedKind& kind) const {
    const std::string path = folder_ / "box.safetensors";
    write_sealed_file(path, {{{"lid", Tensor({2}, std::vector<float>{1, 2})}}, {{"count", "7"}, {"share", "0.5"}}},
                      kind);
    return path;
  }

  static std::string refusal(std::string_view bytes) {
    try {
      SealedFile::parse(bytes, "FILE", kBox);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  test::TemporaryFolder folder_;
};

TEST_F(SealedFileTest, ReadsWhatItWrote) {
  const SealedFile file = SealedFile::read(write(kBox), kBox);
  EXPECT_EQ(file.tensors().at("lid").to_float(), (std::vector<float>{1, 2}));
  EXPECT_EQ(file.whole("count"), 7);
  EXPECT_EQ(file.number("share"), 0.5);
  EXPECT_TRUE(file.text("checksum").starts_with("fnv1a64:"));
}

TEST_F(SealedFileTest, SeesEveryChangedByte) {
  const std::string bytes = read_file(write(kBox));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x11);
    EXPECT_NE(refusal(changed), "") << "byte " << at;
    EXPECT_NE(refusal(bytes.substr(0, at)), "") << "cut at " << at;
  }
}

TEST_F(SealedFileTest, TellsOtherKindsAndVersions) {
  SealedKind other = kBox;
  other.format = "test-bag";
  EXPECT_EQ(refusal(read_file(write(other))), "FILE: no box");
  other = kBox;
  other.version = "2";
  EXPECT_EQ(refusal(read_file(write(other))), "FILE: box of version '2', this program reads version 3");
  EXPECT_EQ(refusal(format_safetensors({{}, {{"format", "test-box"}}})),
            "FILE: box of version none, this program reads version 3");
}

TEST_F(SealedFileTest, SaysWhichEntryIsWrong) {
  const SealedFile file = SealedFile::read(write(kBox), kBox);
  EXPECT_THROW(file.text("colour"), InputError);
  EXPECT_THROW(file.whole("share"), InputError);
  EXPECT_THROW(file.number("format"), InputError);
  EXPECT_THROW(file.flag("count"), InputError);
}

}  // namespace
}  // namespace neuopt
