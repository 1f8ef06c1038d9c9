// Searches with masking: every backend on the host makes the same choices, and no solution visited is infeasible.
#include <gtest/gtest.h>

#include "backends/factory.h"
#include "core/error.h"
#include "env/status.h"
#include "support/random_model.h"
#include "worlds.h"

namespace neuopt::backends {
namespace {

policy::Architecture masked_architecture() {
  policy::Architecture architecture = test::small_architecture(ProblemKind::cvrp);
  architecture.max_moves = 2;
  architecture.masking = true;
  return architecture;
}

TEST(MaskedSearch, TheCpuFollowsTheReference) {
  const test::Worlds worlds(ProblemKind::cvrp, 15, 6);
  const auto model = std::make_shared<const policy::Model>(test::random_model(masked_architecture()));
  const auto theirs = make_backend("reference", 1)->open(model, worlds.copies, {});
  const auto ours = make_backend("cpu", 1)->open(model, worlds.copies, {});
  theirs->advance(25);
  ours->advance(25);
  for (int copy = 0; copy < ours->copies(); ++copy) EXPECT_EQ(ours->current_tour(copy), theirs->current_tour(copy));
  EXPECT_EQ(ours->visits().feasible_share(), 1.0);

  policy::Architecture free = masked_architecture();
  free.masking = false;  // such a network does not stay there by itself
  const auto unmasked =
      make_backend("cpu", 1)->open(std::make_shared<const policy::Model>(test::random_model(free)), worlds.copies, {});
  unmasked->advance(25);
  EXPECT_LT(unmasked->visits().feasible_share(), 1.0);
}

TEST(MaskedSearch, VisitsFeasibleSolutionsOnly) {
  policy::SessionOptions options;
  options.restart_interval = 7;
  for (int customers = 3; customers < 30; ++customers) {
    const auto seed = static_cast<std::uint64_t>(customers);
    const test::Worlds worlds(ProblemKind::cvrp, customers, 2, seed);
    const auto model = std::make_shared<const policy::Model>(test::random_model(masked_architecture(), seed));
    const auto session = make_backend("cpu", 1)->open(model, worlds.copies, options);
    session->advance(40);
    EXPECT_EQ(session->visits().feasible_share(), 1.0) << customers << " customers";
  }
}

TEST(MaskedSearch, TheMaskTakesProbabilityFromWhatOverloads) {
  const test::Worlds worlds(ProblemKind::cvrp, 12, 1);
  const SearchInstance& instance = worlds.instances[0];
  policy::Model model = test::random_model(masked_architecture());
  const int nodes = instance.size();
  // Every customer fills a vehicle: customers can only change places with depots between them.
  std::vector<float> features(static_cast<std::size_t>(nodes) * 8);
  std::vector<int> order{0};
  for (int i = 0; i < nodes - instance.depots; ++i) {
    order.push_back(instance.depots + i);
    if (i + 1 < instance.depots) order.push_back(i + 1);
  }
  for (int node = 0; node < nodes; ++node) {
    const bool depot = node < instance.depots;
    features[static_cast<std::size_t>(node) * 8 + 2] = depot ? 0.0f : 1.0f;
    features[static_cast<std::size_t>(node) * 8 + 4] = depot ? 1.0f : 0.0f;
    features[static_cast<std::size_t>(node) * 8 + 5] = depot ? 1.0f : 0.0f;
  }
  std::vector<float> exploration(env::kExplorationFeatures);
  const std::vector<int> choices{order[1], order[2]};
  policy::NetworkInput input{.nodes = nodes,
                             .depots = instance.depots,
                             .features = features,
                             .order = order,
                             .exploration = exploration,
                             .previous_anchor = -1,
                             .choices = choices};
  for (const char* name : {"reference", "cpu"}) {
    const auto backend = make_backend(name, 1);
    model.architecture.masking = true;
    const double masked = backend->evaluate(model, {&input, 1})[0].log_prob;
    model.architecture.masking = false;
    EXPECT_GT(masked, backend->evaluate(model, {&input, 1})[0].log_prob + 0.1) << name;
    // The second customer after the first, both from the same depot.
    model.architecture.masking = true;
    const std::vector<int> overloading{order[1], order[3]};
    policy::NetworkInput refused = input;
    refused.choices = overloading;
    EXPECT_THROW(backend->evaluate(model, {&refused, 1}), InputError) << name;
  }
}

}  // namespace
}  // namespace neuopt::backends
