// Parity with recorded searches: positions, features, next solutions, rewards, costs and exploration statistics; each
// step on its own from its recorded state, and all steps as one chain.
#include "trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace neuopt {
namespace {

using test::Trace;
using test::World;

constexpr float kTolerance = 1e-5f;

void expect_near(const std::vector<float>& actual, const std::vector<float>& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], kTolerance) << what << " " << i;
}

std::vector<int> successors(World& world) {
  std::vector<int> next(world.nodes());
  const kopt::TourView tour = world.tour.view();
  for (int node = 0; node < world.nodes(); ++node) next[node] = kopt::node_at_rank(tour, tour.position[node], 1);
  return next;
}

std::vector<float> costs(const World& world) {
  return {static_cast<float>(world.status().cost), static_cast<float>(world.status().best_cost),
          static_cast<float>(world.status().best_epsilon_cost)};
}

std::vector<float> exploration(const World& world) {
  std::vector<float> features(env::kExplorationFeatures);
  env::write_exploration_features(world.status().history, env::is_feasible(world.status()), world.rules.gire,
                                  features.data());
  return features;
}

/// The recorded state of a step, as the network would see it.
void expect_state(const Trace& trace, int step, int instance, World& world) {
  ASSERT_EQ(world.tour.position, trace.integer_row(step, "position", instance));
  ASSERT_EQ(world.status().previous_anchor, trace.integer_row(step, "last_action", instance)[0]);
  expect_near(world.features(), trace.float_row(step, "node_features", instance), "node_features");
  if (trace.depots() > 0) expect_near(exploration(world), trace.float_row(step, "es", instance), "es");
}

/// Takes the recorded step and compares what follows from it.
void expect_step(const Trace& trace, int step, int instance, World& world) {
  const env::Reward reward = world.step(trace.choices(step, instance, world.tour), trace.mean_improvement());
  ASSERT_EQ(successors(world), trace.integer_row(step, "next_solution", instance));
  expect_near({reward.improvement, reward.regulation, reward.bonus}, trace.float_row(step, "reward", instance),
              "reward");
  expect_near(costs(world), trace.float_row(step, "next_obj", instance), "next_obj");
  if (trace.depots() > 0) expect_near(exploration(world), trace.float_row(step, "next_es", instance), "next_es");
}

void replay(const std::string& path) {
  const Trace trace(path);
  for (int instance = 0; instance < trace.instances(); ++instance) {
    World chain = trace.start(instance);
    for (int step = 0; step < trace.steps(); ++step) {
      SCOPED_TRACE(path + ", instance " + std::to_string(instance) + ", step " + std::to_string(step));
      World alone = trace.state(step, instance);
      expect_state(trace, step, instance, alone);
      expect_step(trace, step, instance, alone);
      expect_state(trace, step, instance, chain);
      expect_step(trace, step, instance, chain);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Trace, Tsp20) { replay(NEUOPT_TEST_DATA "/golden/tsp20_d32.npz"); }

TEST(Trace, Cvrp20) { replay(NEUOPT_TEST_DATA "/golden/cvrp20_d32.npz"); }

TEST(Trace, AllThatAreThere) {
  const std::filesystem::path folder = std::filesystem::path(NEUOPT_SHARED) / "golden";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no further traces beside the repository";
  int replayed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".npz" || !NpzFile::open(entry.path()).has("meta.steps")) continue;
    replay(entry.path());
    ++replayed;
  }
  EXPECT_GT(replayed, 0);
}

}  // namespace
}  // namespace neuopt
