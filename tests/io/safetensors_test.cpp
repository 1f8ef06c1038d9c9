#include "io/safetensors.h"

#include <gtest/gtest.h>

#include "binary_samples.h"
#include "io/byte_view.h"

namespace neuopt {
namespace {

std::string with_header(const std::string& header, std::size_t data_size) {
  std::string bytes;
  append_number(bytes, std::uint64_t{header.size()});
  return bytes + header + std::string(data_size, '\0');
}

std::string error_of(const std::string& header, std::size_t data_size) {
  return input_error([&] { parse_safetensors(with_header(header, data_size), "M"); });
}

TEST(Safetensors, ReadsTheFormat) {
  const SafeTensors content = read_safetensors(sample_path("small.safetensors"));
  EXPECT_EQ(content.metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
  EXPECT_EQ(content.tensors, (NamedTensors{{"n", Tensor({}, std::vector<std::int64_t>{-5})},
                                           {"w", Tensor({2, 2}, std::vector<float>{1, 2, 3, 4.5})}}));
}

TEST(Safetensors, SurvivesARoundTrip) {
  SafeTensors content;
  for (const DType dtype :
       {DType::boolean, DType::u8, DType::i32, DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64})
    content.tensors["layer." + dtype_name(dtype)] = Tensor::zeros(dtype, {3, 1});
  content.tensors["values"] = Tensor({2}, std::vector<float>{0.25f, -7});
  content.tensors["nothing"] = Tensor::zeros(DType::f32, {0, 5});
  content.metadata = {{"architecture", "{\"layers\": 3}"}, {"note", "grün"}};
  const std::string bytes = format_safetensors(content);
  EXPECT_EQ((*load_number<std::uint64_t>(bytes, 0)) % 8, 0u);
  const SafeTensors copy = parse_safetensors(bytes, "copy");
  EXPECT_EQ(copy.tensors, content.tensors);
  EXPECT_EQ(copy.metadata, content.metadata);
  EXPECT_EQ(format_safetensors(copy), bytes);
}

TEST(Safetensors, RefusesOffsetsThatDoNotFillTheFile) {
  const std::string a = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  EXPECT_EQ(parse_safetensors(with_header("{" + a + "}", 4), "M").tensors.size(), 1u);
  EXPECT_NE(error_of("{" + a + "}", 3).find("M: 'a': data_offsets"), std::string::npos);
  EXPECT_NE(error_of("{" + a + "}", 5).find("1 bytes after the last tensor"), std::string::npos);
  const std::string overlap = R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]})";
  EXPECT_EQ(error_of("{" + a + "," + overlap + "}", 6), "M: 'b': overlaps another tensor");
  const std::string gap = R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]})";
  EXPECT_EQ(error_of("{" + a + "," + gap + "}", 12), "M: 'b': leaves a gap before it");
  EXPECT_NE(error_of("{" + a + "," + a + "}", 4).find("'a' occurs twice"), std::string::npos);
}

TEST(Safetensors, RefusesOtherHeaders) {
  for (const char* header :
       {"", "[]", "{", "{\"a\":1}", R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,4]}})", R"({"a":{"dtype":"F32","shape":[1]}})",
        R"({"__metadata__":{"x":1}})", R"({"__metadata__":"x"})", R"({"a":[[[[[[[]]]]]]]})"})
    EXPECT_THROW(parse_safetensors(with_header(header, 4), "M"), InputError) << header;
}

TEST(Safetensors, AnyDamageIsSafe) {
  const std::string bytes = sample_bytes("small.safetensors");
  const auto parse = [](const std::string& damaged) { parse_safetensors(damaged, "damaged"); };
  expect_truncations_refused(bytes, parse);
  EXPECT_GE(count_accepted_changes(bytes, parse), 24 * 255) << "the data has no checksum";
}

}  // namespace
}  // namespace neuopt
