#include "backends/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "backends/factory.h"
#include "backends/trace/trace_check.h"
#include "core/error.h"
#include "env/prospects.h"
#include "policy/random_model.h"
#include "support/difference.h"
#include "support/random_model.h"
#include "worlds.h"

namespace neuopt::backends::cpu {
namespace {

using test::Worlds;

struct Outcome {
  std::vector<std::vector<int>> current, best;
  std::vector<double> cost;
  bool operator==(const Outcome&) const = default;
};

/// Takes the steps in calls of the given length and gathers what came out.
Outcome run(policy::Backend& backend, const policy::Model& model, std::span<const policy::Copy> copies, int steps,
            int steps_per_call, const policy::SessionOptions& options) {
  const auto session = backend.open(std::make_shared<const policy::Model>(model), copies, options);
  for (int taken = 0; taken < steps; taken += steps_per_call)
    EXPECT_EQ(session->advance(steps_per_call), steps_per_call);
  Outcome outcome;
  for (int copy = 0; copy < session->copies(); ++copy) {
    outcome.current.push_back(session->current_tour(copy));
    outcome.best.push_back(session->best_tour(copy));
    outcome.cost.push_back(session->status(copy).best_cost);
  }
  return outcome;
}

/// Every instruction set that this processor has.
std::vector<std::unique_ptr<policy::Backend>> all_backends() {
  std::vector<std::unique_ptr<policy::Backend>> backends;
  for (const char* set : {"avx512", "avx2", "plain"}) try {
      backends.push_back(make_cpu_backend(1, set));
    } catch (const ResourceError&) {
    }
  return backends;
}

TEST(CpuSession, SameBitsAtAnyNumberOfThreadsAndAnySplit) {
  for (const ProblemKind problem : kProblemKinds) {
    const Worlds worlds(problem, 13, 9);
    const policy::Model model = test::random_model(test::small_architecture(problem));
    policy::SessionOptions options;
    options.stall_limit = 4;
    for (const auto& backend : all_backends()) {
      options.threads = 1;
      const Outcome alone = run(*backend, model, worlds.copies, 24, 24, options);
      for (const int threads : {2, 5}) {
        options.threads = threads;
        EXPECT_EQ(run(*backend, model, worlds.copies, 24, 3, options), alone) << backend->name();
      }
      const Outcome part = run(*backend, model, std::span(worlds.copies).subspan(4, 2), 24, 8, options);
      EXPECT_EQ(part.current[1], alone.current[5]) << backend->name();
      EXPECT_EQ(part.cost[1], alone.cost[5]) << backend->name();
    }
  }
}

TEST(CpuSession, TakesTheSameDecisionsAsTheReference) {
  std::vector<policy::Architecture> architectures;
  for (const ProblemKind problem : kProblemKinds) {
    architectures.push_back(test::small_architecture(problem));
    if (!env::knows_prospects(problem)) continue;
    architectures.push_back(architectures.back());
    architectures.back().prospects = true;
    architectures.push_back(architectures.back());
    architectures.back().foresight = 3;
  }
  for (const policy::Architecture& architecture : architectures) {
    const Worlds worlds(architecture.problem, 21, 3);
    const policy::Model model = test::random_model(architecture);
    policy::SessionOptions options;
    const auto reference = backends::make_backend("reference", 1);
    const Outcome expected = run(*reference, model, worlds.copies, 30, 30, options);
    for (const auto& backend : all_backends()) {
      const Outcome outcome = run(*backend, model, worlds.copies, 30, 30, options);
      EXPECT_EQ(outcome.current, expected.current) << backend->name();
      EXPECT_EQ(outcome.best, expected.best) << backend->name();
    }
  }
}

TEST(CpuSession, LooksNoFurtherThanItsExchangesReachOrTheSearchWants) {
  policy::Architecture architecture = test::small_architecture(ProblemKind::tsp);
  architecture.prospects = true;
  const auto tours = [&](int moves, int foresight, int wanted = policy::kMostForesight) {
    architecture.max_moves = moves, architecture.foresight = foresight;
    const Worlds worlds(architecture.problem, 21, 3);
    policy::SessionOptions options;
    options.foresight = wanted;
    return run(*make_cpu_backend(1), test::random_model(architecture), worlds.copies, 30, 30, options).current;
  };
  EXPECT_EQ(tours(2, 3), tours(2, 2));
  EXPECT_NE(tours(3, 3), tours(3, 2));
  EXPECT_EQ(tours(3, 3, 2), tours(3, 2));
}

TEST(CpuSession, Bf16IsAsRepeatableAsSingle) {
  const Worlds worlds(ProblemKind::tsp, 30, 8);
  const policy::Model model = policy::random_model(policy::paper_architecture(ProblemKind::tsp), 3);
  policy::SessionOptions options;
  options.precision = "bf16";
  const auto backend = make_cpu_backend(1);
  try {
    options.threads = 1;
    const Outcome alone = run(*backend, model, worlds.copies, 10, 10, options);
    EXPECT_TRUE(backend->name().ends_with(", bf16)")) << backend->name();
    options.threads = 3;
    EXPECT_EQ(run(*backend, model, worlds.copies, 10, 2, options), alone);
    options.precision = "fp32";
    EXPECT_NE(run(*backend, model, worlds.copies, 10, 10, options).current, alone.current) << "no rounding at all?";
    EXPECT_EQ(backend->name().find("bf16"), std::string::npos) << backend->name();
  } catch (const ResourceError& error) {
    GTEST_SKIP() << error.what();
  }
}

TEST(CpuSession, ObserverSeesEveryStepAndStopEndsEarly) {
  const Worlds worlds(ProblemKind::cvrp, 10, 3);
  const auto model =
      std::make_shared<const policy::Model>(test::random_model(test::small_architecture(ProblemKind::cvrp)));
  const auto session = make_cpu_backend(1)->open(model, worlds.copies, {});
  std::atomic<bool> stop = false;
  std::vector<std::pair<int, int>> seen;
  session->observe([&](const policy::StepRecord& record) {
    seen.emplace_back(record.step, record.copy);
    if (record.step == 1) stop = true;
  });
  EXPECT_EQ(session->advance(10, &stop), 2);
  EXPECT_EQ(seen, (std::vector<std::pair<int, int>>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
  session->observe({});
  stop = false;
  EXPECT_EQ(session->advance(37, &stop), 37);
  EXPECT_EQ(seen.size(), 6u);
  stop = true;
  EXPECT_EQ(session->advance(5, &stop), 0);
}

TEST(CpuSession, RefusesOtherPrecisionsAndProblems) {
  const Worlds worlds(ProblemKind::tsp, 10, 1);
  const auto cvrp =
      std::make_shared<const policy::Model>(test::random_model(test::small_architecture(ProblemKind::cvrp)));
  const auto tsp =
      std::make_shared<const policy::Model>(test::random_model(test::small_architecture(ProblemKind::tsp)));
  policy::SessionOptions options;
  EXPECT_THROW(make_cpu_backend(1)->open(cvrp, worlds.copies, options), InputError);
  options.precision = "quadruple";
  EXPECT_THROW(make_cpu_backend(1)->open(tsp, worlds.copies, options), InputError);
  EXPECT_THROW(make_cpu_backend(1, "sse9"), InputError);
}

/// The largest difference between a backend and the reference on one random state.
double disagreement(policy::Backend& backend, const policy::Architecture& architecture, int nodes) {
  const policy::Model model = test::random_model(architecture);
  const int features = architecture.features();
  std::vector<float> values(static_cast<std::size_t>(nodes) * features), exploration(9);
  std::uint32_t counter = 0;
  const auto uniform = [&] { return uniform_float(Random{3}.words(Draw::test, counter++, 0, 0, 0).word[0]); };
  for (float& value : values) value = uniform();
  for (float& value : exploration) value = uniform();
  std::vector<int> order(static_cast<std::size_t>(nodes));
  for (int p = 1; p < nodes; ++p) order[p] = nodes - p;
  policy::NetworkInput input{};
  input.nodes = nodes;
  input.features = values;
  input.order = order;
  input.exploration = exploration;
  input.previous_anchor = -1;
  input.above_best = 0.02f;
  std::vector<int> taken = {order[1], order[2]};  // the shortest action: S-move, E-move
  if (nodes > 5) taken = {order[1], order[3], order[5], order[6]};
  if (architecture.fixed_k) taken = {order[1], order[3], order[5], order[nodes - 1]};
  input.choices = taken;
  const policy::NetworkOutput ours = backend.evaluate(model, {&input, 1})[0];
  const policy::NetworkOutput theirs = backends::make_backend("reference", 1)->evaluate(model, {&input, 1})[0];
  EXPECT_EQ(ours.embeddings.size(), theirs.embeddings.size());
  EXPECT_EQ(ours.logits.size(), theirs.logits.size());
  double largest = 0;
  const auto compare = [&](double a, double b) { largest = std::max(largest, test::difference(a, b)); };
  compare(ours.log_prob, theirs.log_prob);
  compare(ours.entropy, theirs.entropy);
  for (std::size_t i = 0; i < ours.embeddings.size(); ++i) compare(ours.embeddings[i], theirs.embeddings[i]);
  const auto illegal = [](double logit) { return logit < -1e29; };
  for (std::size_t i = 0; i < ours.logits.size(); ++i)
    if (illegal(ours.logits[i]))
      EXPECT_TRUE(illegal(theirs.logits[i]));
    else
      compare(ours.logits[i], theirs.logits[i]);
  return largest;
}

TEST(CpuNetwork, AgreesWithTheReferenceForEveryShapeAndAblation) {
  std::vector<policy::Architecture> architectures;
  for (const ProblemKind problem : kProblemKinds) {
    const policy::Architecture small = test::small_architecture(problem);
    architectures.push_back(small);
    for (const auto change :
         {+[](policy::Architecture& a) { a.recurrent = false; },
          +[](policy::Architecture& a) { a.move_stream = false; },
          +[](policy::Architecture& a) { a.edge_stream = false; },
          +[](policy::Architecture& a) { a.random_start_move = true; },
          +[](policy::Architecture& a) { a.fixed_k = true; }, +[](policy::Architecture& a) { a.logit_bound = 9; },
          +[](policy::Architecture& a) { a.exploration_features = false; },
          +[](policy::Architecture& a) { a.heads = 1, a.dim = 70, a.feed_forward = 33; },
          +[](policy::Architecture& a) { a.heads = 2, a.dim = 44, a.layers = 1; }}) {
      architectures.push_back(small);
      change(architectures.back());
    }
    if (!env::knows_prospects(problem)) continue;
    architectures.push_back(small);
    architectures.back().prospects = true;
    architectures.push_back(architectures.back());
    architectures.back().foresight = 3;
  }
  for (const auto& backend : all_backends())
    for (const policy::Architecture& architecture : architectures)
      for (const int nodes : {8, 16, 33})
        EXPECT_LT(disagreement(*backend, architecture, nodes), 2e-5) << backend->name() << " nodes " << nodes;
}

TEST(CpuNetwork, LargeToursWorkWithoutFoldedTables) {
  for (const auto& backend : all_backends())
    EXPECT_LT(disagreement(*backend, test::small_architecture(ProblemKind::tsp), 450), 2e-5) << backend->name();
}

TEST(CpuNetwork, ReplaysTheRecordedTraces) {
  const std::filesystem::path folder = std::filesystem::path(NEUOPT_SHARED) / "golden";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no recorded traces beside the source";
  for (const char* name : {"tsp20_d32", "tsp20_d128", "tsp50_d32_k6", "cvrp20_d32", "cvrp50_d32"}) {
    const backends::trace::Trace trace = backends::trace::Trace::open((folder / name).string() + ".npz");
    for (const auto& backend : all_backends())
      EXPECT_TRUE(backends::trace::check_trace(trace, *backend, backends::trace::tolerances_for("cpu")).passed())
          << name << " " << backend->name();
  }
}

}  // namespace
}  // namespace neuopt::backends::cpu
