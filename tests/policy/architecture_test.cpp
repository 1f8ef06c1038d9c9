#include "policy/architecture.h"

#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "io/npz.h"

namespace neuopt::policy {
namespace {

TEST(Architecture, PaperNetworksHaveThePublishedSizes) {
  EXPECT_EQ(parameter_count(policy_tensors(paper_architecture(ProblemKind::tsp))), 682'628);
  EXPECT_EQ(parameter_count(policy_tensors(paper_architecture(ProblemKind::cvrp))), 685'140);
}

/// Names and shapes under a prefix of a recorded trace.
std::map<std::string, Shape> recorded_tensors(const std::string& file, const std::string& prefix) {
  const NpzFile npz = NpzFile::open(std::string(NEUOPT_TEST_DATA "/golden/") + file);
  std::map<std::string, Shape> shapes;
  for (const std::string& name : npz.names())
    if (name.starts_with(prefix)) shapes[name.substr(prefix.size())] = npz.tensor(name).shape;
  return shapes;
}

std::map<std::string, Shape> as_map(const std::vector<TensorSpec>& specs) {
  std::map<std::string, Shape> shapes;
  for (const TensorSpec& spec : specs) shapes[spec.name] = spec.shape;
  EXPECT_EQ(shapes.size(), specs.size()) << "a name occurs twice";
  return shapes;
}

Architecture recorded_architecture(ProblemKind problem) {
  Architecture architecture = paper_architecture(problem);
  architecture.dim = architecture.feed_forward = 32;
  return architecture;
}

TEST(Architecture, TensorsAreThoseOfTheRecordedNetworks) {
  const Architecture tsp = recorded_architecture(ProblemKind::tsp);
  EXPECT_EQ(as_map(policy_tensors(tsp)), recorded_tensors("tsp20_d32.npz", "actor."));
  EXPECT_EQ(as_map(critic_tensors(tsp)), recorded_tensors("tsp20_d32.npz", "critic."));
  const Architecture cvrp = recorded_architecture(ProblemKind::cvrp);
  EXPECT_EQ(as_map(policy_tensors(cvrp)), recorded_tensors("cvrp20_d32.npz", "actor."));
  EXPECT_EQ(as_map(critic_tensors(cvrp)), recorded_tensors("cvrp20_d32.npz", "critic."));
}

TEST(Architecture, WithoutExplorationFeaturesTheReadoutIsLearned) {
  Architecture architecture = paper_architecture(ProblemKind::cvrp);
  architecture.exploration_features = false;
  const auto tensors = as_map(policy_tensors(architecture));
  EXPECT_TRUE(tensors.contains("decoder.linear_V1"));
  EXPECT_FALSE(tensors.contains("decoder.meta_linear.0.weight"));
}

std::string refusal(const Architecture& architecture) {
  try {
    validate(architecture, "file");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Architecture, RefusesSizesThatMakeNoNetwork) {
  EXPECT_EQ(refusal(paper_architecture(ProblemKind::cvrp)), "");
  Architecture odd = paper_architecture(ProblemKind::tsp);
  odd.dim = 126;
  EXPECT_EQ(refusal(odd), "file: dim is 126, expected a multiple of heads (4)");
  Architecture mute = paper_architecture(ProblemKind::tsp);
  mute.move_stream = mute.edge_stream = false;
  EXPECT_EQ(refusal(mute), "file: both decoder streams are switched off");
  Architecture still = paper_architecture(ProblemKind::tsp, 1);
  EXPECT_EQ(refusal(still), "file: max_moves is 1, expected 2 to 64");
  Architecture guided = paper_architecture(ProblemKind::tsp);
  guided.exploration_features = true;
  EXPECT_NE(refusal(guided), "");
}

TEST(Architecture, MaskingIsForTwoMovesOfTheCvrp) {
  Architecture masked = paper_architecture(ProblemKind::cvrp, 2);
  masked.masking = true;
  EXPECT_EQ(refusal(masked), "");
  masked.max_moves = 3;
  EXPECT_EQ(refusal(masked), "file: masking needs max_moves = 2, not 3");
  masked = paper_architecture(ProblemKind::tsp, 2);
  masked.masking = true;
  EXPECT_EQ(refusal(masked), "file: masking is for the cvrp, not for the tsp");
}

}  // namespace
}  // namespace neuopt::policy
