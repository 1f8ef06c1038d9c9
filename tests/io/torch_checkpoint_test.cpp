#include "io/torch_checkpoint.h"

#include <gtest/gtest.h>

#include "binary_samples.h"
#include "support/torch_sample.h"

namespace neuopt {
namespace {

using test::pickled_call;
using test::pickled_dictionary;
using test::pickled_global;
using test::pickled_integer;
using test::pickled_text;
using test::TorchSample;

const Tensor matrix({2, 3}, std::vector<float>{0, 0.25, 0.5, 0.75, 1, 1.25});
const std::string eight_bytes("\0\0\x80\x3f\0\0\0\x40", 8);  // 1 and 2 in single precision

std::string refusal(const std::string& bytes) {
  return input_error([&] { parse_torch_checkpoint(bytes, "X.pt"); });
}

/// The refusal of a checkpoint with this one tensor, over a storage of two elements.
std::string refusal_of_view(std::int64_t offset, const Shape& shape, const Shape& stride) {
  TorchSample sample;
  const std::string storage = sample.storage("FloatStorage", eight_bytes, 2);
  return refusal(sample.file(pickled_dictionary({{"w", TorchSample::view(storage, offset, shape, stride)}})));
}

class TorchFile : public ::testing::TestWithParam<const char*> {};

TEST_P(TorchFile, TensorsOfACheckpointAreRead) {
  const NamedTensors tensors = parse_torch_checkpoint(sample_bytes(GetParam()), "X.pt");
  EXPECT_EQ(tensors.at("actor.f32"), matrix);
  EXPECT_EQ(tensors.at("actor.transposed"), Tensor({3, 2}, std::vector<float>{0, 0.75, 0.25, 1, 0.5, 1.25}));
  EXPECT_EQ(tensors.at("actor.column"), Tensor({2}, std::vector<float>{0.25, 1}));
  for (const auto& [name, dtype] :
       std::map<std::string, DType>{{"f64", DType::f64}, {"f16", DType::f16}, {"bf16", DType::bf16}}) {
    const Tensor& tensor = tensors.at("actor." + name);
    EXPECT_EQ(tensor.dtype, dtype);
    EXPECT_EQ(tensor.shape, matrix.shape);
    EXPECT_EQ(tensor.to_float(), matrix.to_float());
  }
  EXPECT_EQ(tensors.at("actor.parameter").to_float(), (std::vector<float>{1, 1.25, 1.5, 1.75, 2, 2.25}));
  EXPECT_EQ(tensors.at("actor.scalar"), Tensor({}, std::vector<float>{2.5}));
  EXPECT_EQ(tensors.at("actor.empty"), Tensor({0, 4}, std::vector<float>{}));
  EXPECT_EQ(tensors.at("critic.weight"), Tensor({1, 1}, std::vector<float>{3}));
  EXPECT_EQ(tensors.at("critic.bias"), Tensor({1}, std::vector<float>{4}));
  EXPECT_EQ(tensors.size(), 11u);  // neither complex numbers nor the optimizer's state
}

INSTANTIATE_TEST_SUITE_P(Protocols, TorchFile, ::testing::Values("checkpoint.pt", "checkpoint_protocol4.pt"));

TEST(TorchCheckpoint, AStateDictAloneKeepsItsNames) {
  TorchSample sample;
  const NamedTensors tensors = {{"a.weight", matrix}, {"b", Tensor({1}, std::vector<float>{7})}};
  const std::string root = sample.state_dict(tensors);
  EXPECT_EQ(parse_torch_checkpoint(sample.file(root), "X.pt"), tensors);
}

TEST(TorchCheckpoint, ViewsOfOneStorageAreReadWhereverTheyLie) {
  TorchSample sample;
  const std::string shared = sample.storage("FloatStorage", eight_bytes, 2);
  const NamedTensors tensors =
      parse_torch_checkpoint(sample.file(pickled_dictionary({{"first", TorchSample::view(shared, 0, {1}, {1})},
                                                             {"second", TorchSample::view(shared, 1, {1, 1}, {9, 9})},
                                                             {"twice", TorchSample::view(shared, 0, {2}, {0})}})),
                             "X.pt");
  EXPECT_EQ(tensors.at("first"), Tensor({1}, std::vector<float>{1}));
  EXPECT_EQ(tensors.at("second"), Tensor({1, 1}, std::vector<float>{2}));
  EXPECT_EQ(tensors.at("twice"), Tensor({2}, std::vector<float>{1, 1}));
}

TEST(TorchCheckpoint, CallsAreNeverMadeNorNeeded) {
  TorchSample sample;
  const std::string evil = pickled_call(pickled_global("os", "system"), {pickled_text("touch owned")});
  const std::string root = pickled_dictionary({{"actor", sample.state_dict({{"w", matrix}})}, {"evil", evil}});
  EXPECT_EQ(parse_torch_checkpoint(sample.file(root), "X.pt"), (NamedTensors{{"actor.w", matrix}}));
  EXPECT_NE(refusal(sample.file(evil)).find("X.pt: expected a dictionary of tensors"), std::string::npos);
}

TEST(TorchCheckpoint, OtherFilesAreToldWhatIsExpected) {
  EXPECT_NE(refusal(sample_bytes("checkpoint_legacy.pt")).find("save it anew"), std::string::npos);
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  EXPECT_NE(refusal(tar).find("save it anew"), std::string::npos);
  EXPECT_NE(refusal(sample_bytes("module.pt")).find("model.state_dict()"), std::string::npos);
  EXPECT_NE(refusal(sample_bytes("small.npz")).find("without data.pkl"), std::string::npos);
  EXPECT_NE(refusal("PK").find("X.pt: is not a zip archive"), std::string::npos);
  EXPECT_NE(refusal(TorchSample().file(pickled_dictionary({}))).find("without tensors"), std::string::npos);
  EXPECT_TRUE(is_torch_checkpoint(sample_bytes("checkpoint.pt")));
  EXPECT_TRUE(is_torch_checkpoint(sample_bytes("checkpoint_legacy.pt")));
  EXPECT_FALSE(is_torch_checkpoint(sample_bytes("small.safetensors")));
  EXPECT_FALSE(is_torch_checkpoint(""));
}

TEST(TorchCheckpoint, ViewsBeyondTheirStorageAreRefused) {
  EXPECT_NE(refusal_of_view(0, {3}, {1}).find("shape (3,) reaches beyond its storage of 2 elements"),
            std::string::npos);
  EXPECT_NE(refusal_of_view(1, {2}, {1}).find("reaches beyond"), std::string::npos);
  EXPECT_NE(refusal_of_view(2, {}, {}).find("reaches beyond"), std::string::npos);
  EXPECT_NE(refusal_of_view(0, {2}, {INT64_MAX}).find("reaches beyond"), std::string::npos);
  EXPECT_NE(refusal_of_view(INT64_MAX, {1}, {1}).find("reaches beyond"), std::string::npos);
  EXPECT_NE(refusal_of_view(0, {INT64_MAX, INT64_MAX}, {0, 0}).find("reaches beyond"), std::string::npos);
  EXPECT_NE(refusal_of_view(0, {1'000'000'000}, {0}).find("reaches beyond"), std::string::npos);
  EXPECT_NE(refusal_of_view(0, {-1}, {1}).find("expected a number of elements"), std::string::npos);
  EXPECT_NE(refusal_of_view(-1, {1}, {1}).find("expected a number of elements"), std::string::npos);
  EXPECT_NE(refusal_of_view(0, {1, 1}, {1}).find("shape and stride differ"), std::string::npos);
  EXPECT_NE(refusal_of_view(0, Shape(65, 1), Shape(65, 1)).find("more dimensions"), std::string::npos);
}

TEST(TorchCheckpoint, StoragesMustBeWhatThePickleSays) {
  TorchSample sample;
  const std::string storage = sample.storage("FloatStorage", eight_bytes, 3);
  EXPECT_NE(refusal(sample.file(pickled_dictionary({{"w", TorchSample::view(storage, 0, {1}, {1})}})))
                .find("X.pt: tensor 'w': 'sample/data/0' has 8 bytes, expected 3 elements of f32"),
            std::string::npos);
  const std::string absent = TorchSample::reference("FloatStorage", "../9", 2);
  EXPECT_NE(refusal(sample.file(pickled_dictionary({{"w", TorchSample::view(absent, 0, {1}, {1})}})))
                .find("no entry 'sample/data/../9'"),
            std::string::npos);
  for (const std::string& strange : {pickled_integer(1), pickled_integer(1) + "Q", std::string("(tQ")})
    EXPECT_NE(refusal(sample.file(pickled_dictionary({{"w", TorchSample::view(strange, 0, {1}, {1})}})))
                  .find("expected a storage"),
              std::string::npos);
  const std::string bare = pickled_call(pickled_global("torch._utils", "_rebuild_tensor_v2"), {});
  EXPECT_NE(refusal(sample.file(pickled_dictionary({{"w", bare}}))).find("expected a storage, an offset"),
            std::string::npos);
}

TEST(TorchCheckpoint, RepetitionsDoNotFillTheMemory) {
  TorchSample sample;
  const std::string floats(1 << 16, '\0');
  const std::string tensor =
      TorchSample::view(sample.storage("FloatStorage", floats, 1 << 14), 0, {1 << 14}, {1}) + std::string("q\x01", 2);
  test::PickledEntries entries = {{"first", tensor}};
  for (int i = 0; i < 100; ++i) entries.emplace_back("again" + std::to_string(i), std::string("h\x01", 2));
  EXPECT_NE(refusal(sample.file(pickled_dictionary(entries))).find("repeats its contents"), std::string::npos);
}

TEST(TorchCheckpoint, RepetitionsOfEntriesWithoutNamesDoNotTakeForever) {
  std::string unnamed = pickled_call(pickled_global("collections", "OrderedDict"), {}) + std::string("q\x01(", 3);
  for (int i = 0; i < 1000; ++i) unnamed += "NN";  // none: none
  test::PickledEntries entries = {{"first", unnamed + "u"}};
  for (int i = 0; i < 1000; ++i) entries.emplace_back("a", std::string("h\x01", 2));
  EXPECT_NE(refusal(TorchSample().file(pickled_dictionary(entries))).find("repeats its contents"), std::string::npos);
}

TEST(TorchCheckpoint, DamageEndsInARefusalOrInTensors) {
  TorchSample sample;
  const std::string bytes = sample.file(pickled_dictionary({{"actor", sample.state_dict({{"w", matrix}})}}));
  const auto parse = [](const std::string& changed) { parse_torch_checkpoint(changed, "x"); };
  expect_truncations_refused(bytes, parse);
  // Bytes that nobody reads: time stamps, versions, attributes and the like.
  EXPECT_LT(count_accepted_changes(bytes, parse), static_cast<int>(255 * bytes.size() / 2));
}

}  // namespace
}  // namespace neuopt
