// Shaped and uniform instances in one training batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "problem/generate.h"
#include "problem/shaped_draw.h"
#include "problem/size_rules.h"
#include "train/batch_environment.h"

namespace neuopt::train {
namespace {

constexpr std::uint64_t kSeed = 7;
constexpr std::uint64_t kFirst = 1000;

EnvironmentOptions options_for(ProblemKind kind, float shaped) {
  EnvironmentOptions options;
  options.kind = kind;
  options.customers = 20;
  options.depots = kind == ProblemKind::cvrp ? usual_depots(kind, 20) : 0;
  options.capacity = 30;
  options.epsilon = 0.33f;
  options.batch = 200;
  options.threads = 2;
  options.shaped = shaped;
  return options;
}

/// x, y and demand over capacity of every node, sorted: a batch shows its nodes in the order of their tours.
using Nodes = std::vector<std::array<float, 3>>;

Nodes nodes_of(const Instance& instance, int depots) {
  Nodes nodes;
  for (std::size_t node = 0; node < instance.coordinates.size(); ++node) {
    const Point& point = instance.coordinates[node];
    const double demand = depots > 0 ? instance.demand[node] / instance.capacity : 0;
    const int copies = depots > 0 && node == 0 ? depots : 1;
    nodes.insert(nodes.end(), static_cast<std::size_t>(copies),
                 {static_cast<float>(point.x), static_cast<float>(point.y), static_cast<float>(demand)});
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

struct Generated {
  std::vector<Nodes> instances;
  std::vector<bool> feasible;
};

Generated generate_batch(const EnvironmentOptions& options) {
  constexpr int kDemandColumn = 3;
  BatchEnvironment environment(options);
  environment.generate(kSeed, kFirst);
  Observation state = environment.empty_observation(options.batch);
  environment.observe(state);
  Generated generated;
  for (int row = 0; row < options.batch; ++row) {
    const auto features = state.features[row];
    const auto value = features.accessor<float, 2>();
    Nodes nodes;
    for (int p = 0; p < options.nodes(); ++p)
      nodes.push_back({value[p][0], value[p][1], options.depots > 0 ? value[p][kDemandColumn] : 0});
    std::sort(nodes.begin(), nodes.end());
    generated.instances.push_back(nodes);
    generated.feasible.push_back(state.exploration[row][env::kExplorationFeatures - 1].item<float>() == 1);
  }
  return generated;
}

/// Compares a batch with the generators and returns how many of its instances are shaped.
int expect_generators(ProblemKind kind, float shaped) {
  const EnvironmentOptions options = options_for(kind, shaped);
  const Generated generated = generate_batch(options);
  int count = 0;
  for (int row = 0; row < options.batch; ++row) {
    const std::uint64_t number = kFirst + static_cast<std::uint64_t>(row);
    const bool is = is_shaped(ShapedWords{Random{kSeed}, number}, shaped);
    const Instance expected = is ? generate_shaped(kind, options.customers, kSeed, number)
                                 : generate_uniform(kind, options.customers, kSeed, number);
    EXPECT_EQ(generated.instances[row], nodes_of(expected, options.depots)) << row;
    EXPECT_TRUE(kind == ProblemKind::tsp || generated.feasible[row]) << row;
    count += is;
  }
  return count;
}

TEST(ShapedBatchTest, BatchHoldsTheInstancesOfTheGenerators) {
  for (const ProblemKind kind : {ProblemKind::tsp, ProblemKind::cvrp}) {
    EXPECT_EQ(expect_generators(kind, 0), 0);
    EXPECT_EQ(expect_generators(kind, 1), 200);
    EXPECT_NEAR(expect_generators(kind, 0.25f), 50, 6 * 6.1);  // six standard deviations
  }
}

TEST(ShapedBatchTest, LargerShareKeepsTheShapedInstancesOfASmallerOne) {
  for (std::uint64_t number = 0; number < 100; ++number) {
    const ShapedWords words{Random{kSeed}, number};
    EXPECT_TRUE(!is_shaped(words, 0.3f) || is_shaped(words, 0.6f)) << number;
  }
}

}  // namespace
}  // namespace neuopt::train
