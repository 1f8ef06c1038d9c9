#include "policy/model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "core/file.h"
#include "env/prospects.h"
#include "io/npz.h"
#include "io/safetensors.h"
#include "policy/widen.h"
#include "support/random_model.h"
#include "support/temporary_folder.h"
#include "support/torch_sample.h"

namespace neuopt::policy {
namespace {

Model sample_model() {
  Model model = test::random_model(test::small_architecture(ProblemKind::cvrp));
  model.trained_size = 20;
  model.provenance = {{"batches", "20"}, {"note", "line one\nline \"two\" \xc3\xa9"}};
  return model;
}

bool same_weights(const Model& a, const Model& b) {
  return std::equal(a.weights.flat().begin(), a.weights.flat().end(), b.weights.flat().begin(), b.weights.flat().end());
}

class ModelFile : public ::testing::Test {
 protected:
  /// The message with which a file of these bytes is refused; empty when it is accepted.
  std::string refusal(const std::string& bytes) {
    write_file(path_, bytes);
    try {
      load_model(path_);
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path_)) << message;
      return message;
    }
    return "";
  }

  std::string saved_bytes() {
    save_model(path_, sample_model());
    return read_file(path_);
  }

  /// The saved sample with one entry of its metadata changed, the checksum left as it was.
  std::string with_metadata(const std::string& key, const std::string& value) {
    SafeTensors content = parse_safetensors(saved_bytes(), path_);
    content.metadata[key] = value;
    return format_safetensors(content);
  }

  neuopt::test::TemporaryFolder folder_;
  std::string path_ = folder_ / "model.safetensors";
};

TEST_F(ModelFile, RoundTripKeepsEverything) {
  Model model = sample_model();
  model.architecture.fixed_k = true;
  model.architecture.logit_bound = 9;
  model.architecture.recurrent = false;
  model.architecture.edge_stream = false;
  save_model(path_, model);
  const Model loaded = load_model(path_);
  EXPECT_EQ(loaded.architecture, model.architecture);
  EXPECT_EQ(loaded.trained_size, 20);
  EXPECT_EQ(loaded.provenance, model.provenance);
  EXPECT_TRUE(same_weights(loaded, model));
}

TEST_F(ModelFile, AModelThatIsToldProspectsIsReadAsSuch) {
  const Model before = sample_model();
  Model told = with_prospects(before);
  EXPECT_TRUE(told.architecture.prospects);
  told.architecture.foresight = 3;
  for (const TensorSpec& spec : before.weights.specs())
    EXPECT_TRUE(std::ranges::equal(before.weights[spec.name], told.weights[spec.name])) << spec.name;
  EXPECT_GT(told.weights[kProspectTable][env::kBelowBest], 0);
  EXPECT_EQ(told.weights[kProspectTable][env::kProspectFeatures + env::kClosesBelowBest], 0);  // a step without effect
  save_model(path_, told);
  const Model read = load_model(path_);
  EXPECT_EQ(read.architecture, told.architecture);
  EXPECT_TRUE(same_weights(read, told));
  EXPECT_TRUE(same_weights(with_prospects(read), told));  // is told already
  EXPECT_NE(differences(before.architecture, told.architecture).find("prospects false and true"), std::string::npos);
}

TEST_F(ModelFile, AToldModelBeginsOneOfAProblemWithoutProspects) {
  Model told = with_prospects(sample_model());
  told.architecture.foresight = 3;
  const Model timed = widened(told, ProblemKind::vrptw);
  EXPECT_FALSE(timed.architecture.prospects);
  EXPECT_NO_THROW(validate(timed.architecture, "here"));
  EXPECT_TRUE(std::ranges::equal(timed.weights["decoder.linear_K1.weight"], told.weights["decoder.linear_K1.weight"]));
  EXPECT_THROW(timed.weights[kProspectTable], InputError);
  Architecture wrong = timed.architecture;
  wrong.prospects = true;
  EXPECT_THROW(validate(wrong, "here"), InputError);
}

TEST_F(ModelFile, ForesightIsOfTwoOrThreeEdgesAndNeedsProspects) {
  Architecture architecture = with_prospects(sample_model()).architecture;
  architecture.foresight = 3, architecture.max_moves = 2;
  EXPECT_NO_THROW(validate(architecture, "here"));
  EXPECT_EQ(architecture.edges_foreseen(), 2);
  architecture.foresight = 4;
  EXPECT_THROW(validate(architecture, "here"), InputError);
  architecture.foresight = 3, architecture.prospects = false;
  EXPECT_THROW(validate(architecture, "here"), InputError);
}

TEST_F(ModelFile, SameModelSameBytes) { EXPECT_EQ(saved_bytes(), saved_bytes()); }

TEST_F(ModelFile, RefusesEveryTruncation) {
  const std::string bytes = saved_bytes();
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 15)
    EXPECT_NE(refusal(bytes.substr(0, length)), "") << length;
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() - 1)), "");
  EXPECT_NE(refusal(bytes + "x"), "");
}

TEST_F(ModelFile, NoDamagedByteGoesUnseen) {
  const std::string bytes = saved_bytes();
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 150) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_NE(refusal(damaged), "") << "byte " << at;
  }
}

TEST_F(ModelFile, DamagedWeightsAreCalledDamaged) {
  std::string bytes = saved_bytes();
  bytes[bytes.size() - 100] ^= 1;
  EXPECT_NE(refusal(bytes).find("damaged model: the checksum is"), std::string::npos);
}

TEST_F(ModelFile, AlteredMetadataAreFound) {
  EXPECT_NE(refusal(with_metadata("max_moves", "6")).find("checksum"), std::string::npos);
  EXPECT_NE(refusal(with_metadata("provenance.batches", "9000")).find("checksum"), std::string::npos);
  EXPECT_NE(refusal(with_metadata("version", "2")).find("model of version '2'"), std::string::npos);
}

TEST_F(ModelFile, ForeignFilesAreCalledForeign) {
  const std::string other = format_safetensors({{{"x", Tensor({1}, std::vector<float>{1})}}, {}});
  EXPECT_NE(refusal(other).find("not a neuopt model"), std::string::npos);
  EXPECT_NE(refusal(format_npz(sample_model().weights.tensors(""))), "");
  EXPECT_NE(refusal("NAME : berlin52\nTYPE : TSP\n"), "");
  EXPECT_NE(refusal(""), "");
  EXPECT_THROW(load_model(folder_ / "absent.safetensors"), InputError);
}

TEST_F(ModelFile, ImportInfersTheArchitecture) {
  const Model original = sample_model();
  for (const std::string prefix : {"", "actor."}) {
    NamedTensors tensors = original.weights.tensors(prefix);
    tensors["critic.anything"] = Tensor({1}, std::vector<float>{0});
    const std::string npz = folder_ / "weights.npz", safe = folder_ / "weights.safetensors";
    write_npz(npz, tensors);
    write_safetensors(safe, {tensors, {}});
    for (const std::string& path : {npz, safe}) {
      const Model imported = import_model(path, 4);
      EXPECT_EQ(imported.architecture, original.architecture);
      EXPECT_TRUE(same_weights(imported, original));
      EXPECT_EQ(imported.provenance.at("imported_from"), path.substr(folder_.path().size() + 1));
    }
  }
}

TEST_F(ModelFile, ImportReadsPyTorchCheckpoints) {
  const Model original = sample_model();
  const std::string path = folder_ / "epoch.pt";
  for (const std::string prefix : {"", "module."}) {
    neuopt::test::TorchSample alone, checkpoint;
    const std::string bare = alone.state_dict(original.weights.tensors(prefix));
    const std::string actor = checkpoint.state_dict(original.weights.tensors(prefix));
    const std::string critic = checkpoint.state_dict({{"value_head.weight", Tensor({1}, std::vector<float>{1})}});
    const std::string whole = neuopt::test::pickled_dictionary(
        {{"actor", actor}, {"critic", critic}, {"epoch", neuopt::test::pickled_integer(199)}});
    for (const std::string& bytes : {alone.file(bare), checkpoint.file(whole)}) {
      write_file(path, bytes);
      const Model imported = import_model(path, 4);
      EXPECT_EQ(imported.architecture, original.architecture);
      EXPECT_TRUE(same_weights(imported, original));
      EXPECT_EQ(imported.provenance.at("imported_from"), "epoch.pt");
    }
  }
}

TEST_F(ModelFile, ImportRefusesOtherNetworks) {
  const std::string path = folder_ / "weights.npz";
  const auto import_refusal = [&](const NamedTensors& tensors) -> std::string {
    write_npz(path, tensors);
    try {
      import_model(path, 4);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  NamedTensors strange = sample_model().weights.tensors("actor.");
  strange["actor.decoder.extra"] = Tensor({1}, std::vector<float>{0});
  EXPECT_NE(import_refusal(strange).find("actor.decoder.extra belongs to no network"), std::string::npos);
  NamedTensors partial = sample_model().weights.tensors("actor.");
  partial.erase("actor.decoder.linear_Q3.weight");
  EXPECT_NE(import_refusal(partial).find("actor.decoder.linear_Q3.weight is missing"), std::string::npos);
  EXPECT_NE(import_refusal({{"x", Tensor({1}, std::vector<float>{1})}}).find("no policy weights"), std::string::npos);
  write_npz(path, sample_model().weights.tensors("actor."));
  EXPECT_THROW(import_model(path, 1), InputError);
}

TEST_F(ModelFile, PublishedWeightsHaveNoProspects) {
  const NamedTensors told = with_prospects(sample_model()).weights.tensors("");
  EXPECT_THROW(import_tensors(told, 4, "here"), InputError);
}

TEST_F(ModelFile, ImportRefusesWhatIsAModelAlready) {
  const std::string path = folder_ / "model.safetensors";
  save_model(path, sample_model());
  try {
    import_model(path, 4);
    FAIL() << "K and the size would be lost";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a neuopt model already"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace neuopt::policy
