#include "backends/copy_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "backends/action_builder.h"
#include "core/error.h"
#include "kopt/draw.h"
#include "support/random_model.h"
#include "support/random_tour.h"
#include "worlds.h"

namespace neuopt::backends {
namespace {

using test::Worlds;

CopyState make_copy(const policy::Copy& copy, const policy::SessionOptions& options = {}) {
  return CopyState(copy, test::small_architecture(copy.instance->kind), options);
}

/// One step that chooses uniformly among the legal nodes with the copy's own random numbers.
void random_step(CopyState& copy, const policy::Architecture& architecture) {
  ActionBuilder builder(architecture, copy.tour(), copy.previous_anchor(), {});
  while (builder.open()) {
    std::vector<double> weights(copy.nodes());
    for (int node = 0; node < copy.nodes(); ++node) weights[node] = builder.allows(node) ? 1 : 0;
    const float uniform = copy.uniform(builder.step());
    builder.choose(kopt::draw_index(SerialLanes{}, copy.nodes(), uniform, [&](int i) { return weights[i]; }).index);
  }
  copy.take(builder.action(), builder.chosen());
}

/// A step that changes nothing: the E-move right after the S-move.
void void_step(CopyState& copy, const policy::Architecture& architecture) {
  ActionBuilder builder(architecture, copy.tour(), copy.previous_anchor(), {});
  builder.choose(builder.allows(0) ? 0 : 1);
  builder.choose(kopt::node_at_rank(copy.tour(), copy.tour().position[builder.move_input()], 1));
  copy.take(builder.action(), builder.chosen());
}

TEST(CopyState, KeepsTheBestTourAndItsCost) {
  for (const ProblemKind problem : kProblemKinds) {
    Worlds worlds(problem, 10, 1);
    const policy::Architecture architecture = test::small_architecture(problem);
    CopyState copy = make_copy(worlds.copies[0]);
    double best = copy.status().cost;
    for (int step = 0; step < 500; ++step) {
      random_step(copy, architecture);
      ASSERT_NEAR(copy.status().cost, tour_cost(worlds.instances[0], copy.order()), 1e-5);
      if (env::is_feasible(copy.status())) best = std::min(best, copy.status().cost);
      ASSERT_EQ(copy.status().best_cost, best);
    }
    EXPECT_NEAR(best, tour_cost(worlds.instances[0], copy.best_tour()), 1e-5);
    if (problem == ProblemKind::vrptw) continue;  // few random exchanges keep to the windows
    EXPECT_LT(best, tour_cost(worlds.instances[0], worlds.copies[0].start)) << "500 random steps found nothing";
    EXPECT_EQ(copy.steps(), 500);
  }
}

TEST(CopyState, DrawsAnAugmentationWhenItStalls) {
  Worlds worlds(ProblemKind::tsp, 10, 1);
  const policy::Architecture architecture = test::small_architecture(ProblemKind::tsp);
  policy::SessionOptions options;
  options.stall_limit = 3;
  CopyState copy = make_copy(worlds.copies[0], options);
  EXPECT_EQ(copy.augmentations(), 1u);
  for (int step = 1; step <= 9; ++step) {
    void_step(copy, architecture);
    EXPECT_EQ(copy.augmentations(), 1u + step / 3);
    EXPECT_EQ(copy.record(0).augmented, step % 3 == 0);
  }

  options.stall_limit = 0;
  options.augment_start = false;
  CopyState plain = make_copy(worlds.copies[0], options);
  for (int step = 0; step < 30; ++step) void_step(plain, architecture);
  EXPECT_EQ(plain.augmentations(), 0u);
  std::vector<float> features(20);
  plain.write_features(features.data());
  for (int node = 0; node < 10; ++node) {
    EXPECT_EQ(features[2 * node], worlds.instances[0].x[node]);
    EXPECT_EQ(features[2 * node + 1], worlds.instances[0].y[node]);
  }
}

/// Nodes on an ellipse in order: the start is optimal, and whatever looks like an improvement is rounding.
SearchInstance ellipse(int nodes) {
  Instance instance;
  instance.size = nodes;
  for (int node = 0; node < nodes; ++node) {
    const double angle = 2 * std::numbers::pi * std::pow(static_cast<double>(node) / nodes, 1.2);
    instance.coordinates.push_back({0.5 + 0.4 * std::cos(angle), 0.5 + 0.3 * std::sin(angle)});
  }
  return make_search_instance(instance);
}

TEST(CopyState, ADifferenceOfRoundingIsNoNewBest) {
  const SearchInstance instance = ellipse(30);
  const policy::Architecture architecture = test::small_architecture(ProblemKind::tsp);
  policy::SessionOptions options;
  options.stall_limit = 100;
  CopyState copy = make_copy({&instance, 0, 0, test::identity_tour(30).order}, options);
  const auto reverse = [&](int first, int last) {  // positions; twice the same is the tour as it was
    ActionBuilder builder(architecture, copy.tour(), -1, {});
    for (const int p : {first - 1, last, last + 1}) builder.choose(copy.order()[p]);
    copy.take(builder.action(), builder.chosen());
  };
  for (int step = 0; step < 1000; step += 2)
    for (int twice = 0; twice < 2; ++twice) reverse(1 + step % 13, 15 + step % 11);
  EXPECT_NEAR(copy.status().cost, tour_cost(instance, test::identity_tour(30).order), 1e-5);
  EXPECT_EQ(copy.augmentations(), 11u);  // at the start and after every 100 steps
}

TEST(CopyState, AnInfeasibleStartIsNeverTheBest) {
  Worlds worlds(ProblemKind::cvrp, 20, 1);
  std::vector<int> overloaded = {0};  // one route with every customer
  for (int node = worlds.instances[0].depots; node < worlds.instances[0].size(); ++node) overloaded.push_back(node);
  for (int node = 1; node < worlds.instances[0].depots; ++node) overloaded.push_back(node);
  policy::Copy copy = worlds.copies[0];
  copy.start = overloaded;
  CopyState state = make_copy(copy);
  EXPECT_GT(state.status().violation, 0);
  EXPECT_TRUE(std::isinf(state.status().best_cost));
  EXPECT_EQ(state.best_tour(), overloaded);
}

TEST(CopyState, RefusesCostsThatOnlyTheHostKnows) {
  Instance instance = generate_uniform(ProblemKind::tsp, 10, 1, 0);
  instance.metric = Metric::euc_2d;
  const SearchInstance computed = make_search_instance(instance, {.matrix_up_to = 9});
  EXPECT_THROW(make_copy({&computed, 0, 0, test::identity_tour(10).order}), Error);
}

TEST(CopyState, RandomNumbersBelongToTheCopy) {
  Worlds worlds(ProblemKind::tsp, 10, 1);
  std::set<float> numbers;
  for (const std::uint32_t copy_id : {0u, 1u}) {
    policy::Copy copy = worlds.copies[0];
    copy.copy_id = copy_id;
    CopyState state = make_copy(copy);
    for (int step = 0; step < 5; ++step) {
      for (int k = 0; k < 4; ++k) numbers.insert(state.uniform(k));
      void_step(state, test::small_architecture(ProblemKind::tsp));
    }
  }
  EXPECT_EQ(numbers.size(), 40u);
}

TEST(CopyState, RefusesWhatIsNoStart) {
  Worlds worlds(ProblemKind::tsp, 5, 1);
  for (const std::vector<int>& start :
       {std::vector<int>{}, {0, 1, 2, 3}, {1, 0, 2, 3, 4}, {0, 1, 2, 3, 3}, {0, 1, 2, 3, 5}, {0, 1, 2, 3, -1}}) {
    policy::Copy copy = worlds.copies[0];
    copy.start = start;
    EXPECT_THROW(make_copy(copy), InputError);
  }
  EXPECT_THROW(CopyState(worlds.copies[0], test::small_architecture(ProblemKind::cvrp), {}), InputError);
  Worlds pair(ProblemKind::tsp, 2, 1);
  EXPECT_THROW(make_copy(pair.copies[0]), InputError);
}

}  // namespace
}  // namespace neuopt::backends
