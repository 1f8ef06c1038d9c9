#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backends/factory.h"
#include "core/error.h"
#include "policy/logits.h"
#include "support/random_model.h"
#include "worlds.h"

namespace neuopt::backends {
namespace {

using test::Worlds;

struct Outcome {
  std::vector<std::vector<int>> current, best;
  std::vector<double> cost;
  bool operator==(const Outcome&) const = default;
};

/// Takes the steps in two calls and gathers what came out.
Outcome run(const policy::Model& model, std::span<const policy::Copy> copies, int steps,
            const policy::SessionOptions& options) {
  const auto backend = make_backend("reference", 1);
  const auto session = backend->open(std::make_shared<const policy::Model>(model), copies, options);
  EXPECT_EQ(session->advance(steps / 2), steps / 2);
  EXPECT_EQ(session->advance(steps - steps / 2), steps - steps / 2);
  Outcome outcome;
  for (int copy = 0; copy < session->copies(); ++copy) {
    outcome.current.push_back(session->current_tour(copy));
    outcome.best.push_back(session->best_tour(copy));
    outcome.cost.push_back(session->status(copy).best_cost);
  }
  return outcome;
}

TEST(ReferenceSession, SameSeedSameAnswerAtAnyNumberOfThreadsAndAnySplit) {
  for (const ProblemKind problem : kProblemKinds) {
    const Worlds worlds(problem, 12, 4);
    const policy::Model model = test::random_model(test::small_architecture(problem));
    policy::SessionOptions options;
    options.stall_limit = 4;
    options.threads = 1;
    const Outcome alone = run(model, worlds.copies, 20, options);
    options.threads = 3;
    EXPECT_EQ(run(model, worlds.copies, 20, options), alone);
    for (int copy = 0; copy < 4; ++copy) {
      const Outcome one = run(model, std::span<const policy::Copy>(worlds.copies).subspan(copy, 1), 20, options);
      EXPECT_EQ(one.current[0], alone.current[copy]);
      EXPECT_EQ(one.cost[0], alone.cost[copy]);
    }
    options.seed = 2;
    EXPECT_NE(run(model, worlds.copies, 20, options).current, alone.current);
  }
}

TEST(ReferenceSession, ANetworkThatHasLostItsWayStillDrawsLegalMoves) {
  for (const char* name : {"reference", "cpu"})
    for (const ProblemKind problem : kProblemKinds) {
      const Worlds worlds(problem, 12, 4);
      policy::Model model = test::random_model(test::small_architecture(problem));
      for (float& weight : model.weights.flat()) weight = NAN;
      policy::SessionOptions options;
      options.threads = 1;
      const auto session =
          make_backend(name, 1)->open(std::make_shared<const policy::Model>(model), worlds.copies, options);
      EXPECT_EQ(session->advance(20), 20);
      for (int copy = 0; copy < session->copies(); ++copy) {
        std::vector<int> tour = session->current_tour(copy);
        EXPECT_NE(tour, worlds.copies[static_cast<std::size_t>(copy)].start) << name;
        std::sort(tour.begin(), tour.end());
        for (std::size_t i = 0; i < tour.size(); ++i) ASSERT_EQ(tour[i], static_cast<int>(i)) << name;
      }
    }
}

TEST(ReferenceSession, ObserverSeesEveryStepAndStopEndsEarly) {
  const Worlds worlds(ProblemKind::cvrp, 10, 2);
  const auto model =
      std::make_shared<const policy::Model>(test::random_model(test::small_architecture(ProblemKind::cvrp)));
  const auto session = make_backend("reference", 1)->open(model, worlds.copies, {});
  std::atomic<bool> stop = false;
  std::vector<std::pair<int, int>> seen;
  session->observe([&](const policy::StepRecord& record) {
    seen.emplace_back(record.step, record.copy);
    EXPECT_NEAR(record.cost, tour_cost(worlds.instances[record.copy], record.order), 1e-5);
    EXPECT_GE(record.chosen.size(), 2u);
    EXPECT_LE(record.k, static_cast<int>(record.chosen.size()));
    if (record.step == 2) stop = true;
  });
  EXPECT_EQ(session->advance(10, &stop), 3);
  EXPECT_EQ(seen, (std::vector<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}));
  session->observe({});
  EXPECT_EQ(session->advance(2), 2);
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_GE(session->visits().feasible_share(), 0);
  EXPECT_LE(session->visits().feasible_share(), 1);
}

TEST(ReferenceSession, RefusesOtherPrecisionsAndProblems) {
  const Worlds worlds(ProblemKind::tsp, 10, 1);
  const auto tsp =
      std::make_shared<const policy::Model>(test::random_model(test::small_architecture(ProblemKind::tsp)));
  const auto cvrp =
      std::make_shared<const policy::Model>(test::random_model(test::small_architecture(ProblemKind::cvrp)));
  const auto backend = make_backend("reference", 1);
  policy::SessionOptions options;
  options.precision = "bf16";
  EXPECT_THROW(backend->open(tsp, worlds.copies, options), InputError);
  EXPECT_THROW(backend->open(cvrp, worlds.copies, {}), InputError);
}

/// One state of a TSP with 8 nodes in order.
class Ablation : public ::testing::Test {
 protected:
  policy::NetworkOutput evaluate(const policy::Architecture& architecture, std::span<const int> choices) const {
    policy::NetworkInput input{};
    input.nodes = 8;
    input.features = features_;
    input.order = order_;
    input.previous_anchor = -1;
    input.choices = choices;
    return make_backend("reference", 1)->evaluate(test::random_model(architecture), {&input, 1})[0];
  }

  policy::Architecture architecture_ = test::small_architecture(ProblemKind::tsp);
  std::vector<float> features_ = {0.1f, 0.2f, 0.3f, 0.9f, 0.5f, 0.6f, 0.7f, 0.1f,
                                  0.9f, 0.8f, 0.2f, 0.4f, 0.6f, 0.3f, 0.8f, 0.5f};
  std::vector<int> order_ = {0, 1, 2, 3, 4, 5, 6, 7};
};

TEST_F(Ablation, UniformStartMove) {
  architecture_.random_start_move = true;
  const policy::NetworkOutput output = evaluate(architecture_, std::vector<int>{2, 3});
  for (int node = 0; node < 8; ++node) EXPECT_EQ(output.logits[node], 0);
  const double first = std::log(1.0 / 8);
  EXPECT_LT(output.log_prob, first);
}

TEST_F(Ablation, LogitsGrowWithTheirBound) {
  const policy::NetworkOutput usual = evaluate(architecture_, std::vector<int>{2, 3});
  architecture_.logit_bound = 12;
  const policy::NetworkOutput twice = evaluate(architecture_, std::vector<int>{2, 3});
  for (int node = 0; node < 8; ++node) EXPECT_NEAR(twice.logits[node], 2 * usual.logits[node], 1e-9);
}

TEST_F(Ablation, FixedKForbidsTheEMove) {
  architecture_.fixed_k = true;
  EXPECT_THROW(evaluate(architecture_, std::vector<int>{2, 3}), InputError);
  EXPECT_EQ(evaluate(architecture_, std::vector<int>{2, 4, 6, 0}).logits[8 + 3], policy::kIllegalLogit);
}

TEST_F(Ablation, EverySwitchMatters) {
  const std::vector<int> choices = {2, 4, 6, 0};
  const std::vector<double> full = evaluate(architecture_, choices).logits;
  for (bool policy::Architecture::*const part :
       {&policy::Architecture::recurrent, &policy::Architecture::move_stream, &policy::Architecture::edge_stream}) {
    policy::Architecture ablated = architecture_;
    ablated.*part = false;
    const std::vector<double> logits = evaluate(ablated, choices).logits;
    double difference = 0;
    for (std::size_t i = 0; i < full.size(); ++i) difference = std::max(difference, std::abs(logits[i] - full[i]));
    EXPECT_GT(difference, 1e-3);
  }
}

TEST_F(Ablation, IllegalOrMissingChoicesAreRefused) {
  EXPECT_THROW(evaluate(architecture_, std::vector<int>{2, 1}), InputError);
  EXPECT_THROW(evaluate(architecture_, std::vector<int>{9}), InputError);
  EXPECT_THROW(evaluate(architecture_, std::vector<int>{2, 5}), InputError);
}

}  // namespace
}  // namespace neuopt::backends
