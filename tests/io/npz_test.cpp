#include "io/npz.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "binary_samples.h"
#include "io/npy.h"
#include "io/zip.h"

namespace neuopt {
namespace {

/// The arrays of small.npz and of its other packings.
NamedTensors small_arrays() {
  return {{"a", Tensor({2}, std::vector<float>{1, 2})}, {"b", Tensor({2, 1}, std::vector<std::int32_t>{3, 4})}};
}

std::string npy_with_header(const std::string& header, const std::string& data = "") {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  return bytes + header + data;
}

TEST(Zip, ChecksumOfTheStandardVector) {
  EXPECT_EQ(crc32_of("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32_of(""), 0u);
}

class NumpyFile : public testing::TestWithParam<const char*> {};

TEST_P(NumpyFile, EveryTypeIsRead) {
  const NpzFile npz = NpzFile::open(sample_path(GetParam()));
  EXPECT_EQ(npz.names().size(), 11u);
  EXPECT_EQ(npz.tensor("f32"), Tensor({2, 3}, std::vector<float>{0, 0.25, 0.5, 0.75, 1, 1.25}));
  EXPECT_EQ(npz.tensor("f64"), Tensor({2}, std::vector<double>{0.1, -2.5e300}));
  EXPECT_EQ(npz.tensor("i32"), Tensor({2, 1}, std::vector<std::int32_t>{-7, 2147483647}));
  EXPECT_EQ(npz.tensor("i64"), Tensor({2}, std::vector<std::int64_t>{INT64_MIN, (std::int64_t{1} << 53) + 1}));
  EXPECT_EQ(npz.tensor("u8"), Tensor({2}, std::vector<std::uint8_t>{0, 255}));
  EXPECT_EQ(npz.tensor("flag").dtype, DType::boolean);
  EXPECT_EQ(npz.tensor("flag").to_int64(), (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(npz.tensor("f16").to_double(), (std::vector<double>{1.5, -65504, 0x1p-24, HUGE_VAL}));
  EXPECT_EQ(npz.tensor("scalar"), Tensor({}, std::vector<float>{2.5}));
  EXPECT_EQ(npz.tensor("empty"), Tensor::zeros(DType::f32, {0, 4}));
  EXPECT_EQ(npz.tensor("big"), Tensor({2}, std::vector<double>{1.5, -2.0}));
}

TEST_P(NumpyFile, FortranOrderIsTurned) {
  std::vector<std::int32_t> counting(24);
  for (int i = 0; i < 24; ++i) counting[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(NpzFile::open(sample_path(GetParam())).tensor("fortran"), Tensor({2, 3, 4}, counting));
}

TEST_P(NumpyFile, SurvivesARoundTrip) {
  const NamedTensors tensors = parse_npz(sample_bytes(GetParam()), GetParam());
  const std::string bytes = format_npz(tensors);
  EXPECT_EQ(parse_npz(bytes, "copy"), tensors);
  EXPECT_EQ(format_npz(tensors), bytes);
}

INSTANTIATE_TEST_SUITE_P(StoredAndDeflated, NumpyFile, testing::Values("numpy.npz", "numpy_compressed.npz"),
                         [](const auto& sample) { return sample.index == 0 ? "Stored" : "Deflated"; });

TEST(Npz, ReadsEveryPackingOfTheSameArrays) {
  for (const char* name : {"small.npz", "small_compressed.npz", "zip64.npz", "streamed.npz"})
    EXPECT_EQ(parse_npz(sample_bytes(name), name), small_arrays()) << name;
}

TEST(Npz, WritesWhatNumpyWrites) {
  // numpy's archive of one array differs from ours in the zip headers only: the array itself must be the same bytes.
  const ZipArchive theirs(sample_bytes("small.npz"), "theirs");
  const ZipArchive ours(format_npz(small_arrays()), "ours");
  for (const char* name : {"a.npy", "b.npy"}) EXPECT_EQ(ours.extract(name), theirs.extract(name)) << name;
}

TEST(Npz, NamesTheFileAndTheArray) {
  const NpzFile npz = NpzFile::open(sample_path("small.npz"));
  EXPECT_FALSE(npz.has("c"));
  const std::string message = input_error([&] { npz.tensor("c"); });
  EXPECT_NE(message.find("small.npz: has no array 'c'"), std::string::npos) << message;
  EXPECT_THROW(NpzFile::open(sample_path("absent.npz")), InputError);
}

TEST(Npz, DamagedContentIsFoundByItsChecksum) {
  std::string bytes = format_npz({{"x", Tensor({4}, std::vector<float>{1, 2, 3, 4})}});
  const std::size_t data = bytes.find("\n") + 1;
  bytes[data] = static_cast<char>(bytes[data] ^ 1);
  const std::string message = input_error([&] { parse_npz(bytes, "SET.npz"); });
  EXPECT_EQ(message, "SET.npz: 'x.npy': the checksum does not match: damaged");
}

TEST(Npz, TruncationsAreRefused) {
  for (const char* name : {"small.npz", "small_compressed.npz", "zip64.npz"})
    expect_truncations_refused(sample_bytes(name), [](const std::string& bytes) { parse_npz(bytes, "cut"); });
}

TEST(Npz, AChangedByteNeverGivesChangedNumbers) {
  for (const char* name : {"small.npz", "small_compressed.npz", "zip64.npz", "streamed.npz"})
    count_accepted_changes(sample_bytes(name), [](const std::string& bytes) {
      const NamedTensors expected = small_arrays();
      for (const auto& [key, tensor] : parse_npz(bytes, "changed")) {
        const bool known = std::any_of(expected.begin(), expected.end(),
                                       [&, &found = tensor](const auto& item) { return item.second == found; });
        ASSERT_TRUE(known) << key;
      }
    });
}

TEST(Npz, EntriesThatShareBytesAreRefused) {
  // Two records of the directory for the same content, each larger than half of the file.
  std::string bytes = format_npz({{"x", Tensor::zeros(DType::u8, {4000})}});
  const std::size_t directory = bytes.find(std::string("PK\x01\x02", 4));
  const std::size_t end = bytes.find(std::string("PK\x05\x06", 4));
  std::string second = bytes.substr(directory, end - directory);
  second[46] = 'y';
  std::string tail = bytes.substr(end);
  tail[8] = tail[10] = 2;
  tail[12] = static_cast<char>(2 * second.size());
  bytes = bytes.substr(0, end) + second + tail;
  const std::string message = input_error([&] { parse_npz(bytes, "bomb"); });
  EXPECT_NE(message.find("claim more bytes than the file has"), std::string::npos) << message;
}

TEST(Npz, ASizeThatDeflateCannotReachIsRefused) {
  std::string bytes = sample_bytes("small_compressed.npz");
  const std::size_t directory = bytes.find(std::string("PK\x01\x02", 4));
  for (int i = 0; i < 3; ++i) bytes[directory + 24 + static_cast<std::size_t>(i)] = '\x7f';
  const std::string message = input_error([&] { parse_npz(bytes, "bomb"); });
  EXPECT_NE(message.find("cannot reach"), std::string::npos) << message;
}

TEST(Npy, EveryVersionIsRead) {
  for (const char* name : {"version1.npy", "version2.npy", "version3.npy"})
    EXPECT_EQ(parse_npy(sample_bytes(name), name), Tensor({2, 2}, std::vector<std::int64_t>{1, 2, 3, 4})) << name;
}

TEST(Npy, RefusesWhatItDoesNotRead) {
  const std::string data(8, '\0');
  const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n";
  EXPECT_EQ(parse_npy(npy_with_header(good, data), "x").size(), 1u);
  for (const char* header : {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }",
                             "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
                             "{'descr': '|f8', 'fortran_order': False, 'shape': (1,), }",
                             "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }",
                             "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296,4294967297), }",
                             "{'descr': '<f8', 'fortran_order': False, }",
                             "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
                             "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x", "", "{"})
    EXPECT_THROW(parse_npy(npy_with_header(header, data), "x"), InputError) << header;
}

TEST(Npy, AnyDamageIsSafe) {
  const std::string bytes = sample_bytes("version1.npy");
  const auto parse = [](const std::string& damaged) { parse_npy(damaged, "damaged"); };
  expect_truncations_refused(bytes, parse);
  EXPECT_GE(count_accepted_changes(bytes, parse), 32 * 255) << "the data has no checksum";
}

}  // namespace
}  // namespace neuopt
