// The CUDA backend against the reference, where there is a GPU.
#if defined(NEUOPT_WITH_CUDA)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <tuple>

#include "backends/cuda/device_info.h"
#include "backends/cuda/work.h"
#include "backends/factory.h"
#include "backends/trace/trace_check.h"
#include "backends/worlds.h"
#include "core/error.h"
#include "policy/random_model.h"
#include "support/difference.h"

namespace neuopt::backends {
namespace {

policy::Architecture narrow(ProblemKind problem) {
  policy::Architecture architecture = policy::paper_architecture(problem);
  architecture.dim = 32;
  architecture.feed_forward = 32;
  return architecture;
}

std::shared_ptr<const policy::Model> model_of(const policy::Architecture& architecture) {
  return std::make_shared<const policy::Model>(policy::random_model(architecture, 5));
}

TEST(CudaDevice, SaysWhyThereIsNone) {
  std::string reason;
  if (cuda::cuda_available(&reason)) {
    EXPECT_NO_THROW(make_backend("cuda"));
  } else {
    EXPECT_FALSE(reason.empty());
    EXPECT_THROW(make_backend("cuda"), ResourceError);
  }
}

TEST(CudaWork, TheEncoderIsMostOfAStep) {
  const cuda::StepWork work = cuda::step_work(policy::paper_architecture(ProblemKind::tsp), 100, true);
  EXPECT_NEAR(work.encoder.flop, 93e6, 10e6);
  EXPECT_GT(work.encoder.flop, 10 * work.streams.flop);
  EXPECT_GT(work.scores.bytes, work.encoder.bytes);  // the keys are read once for each choice
}

class CudaBackend : public testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    if (!cuda::cuda_available(&reason)) GTEST_SKIP() << reason;
    backend_ = make_backend("cuda");
  }

  /// In single precision the searches of a model take the reference's way.
  void expect_same_searches(const std::shared_ptr<const policy::Model>& model, const test::Worlds& worlds,
                            int foresight = policy::kMostForesight) {
    policy::SessionOptions options;
    options.foresight = foresight;
    const auto theirs = make_backend("reference", 1)->open(model, worlds.copies, options);
    options.precision = "fp32";
    const auto ours = backend_->open(model, worlds.copies, options);
    ours->advance(12);
    theirs->advance(12);
    for (int copy = 0; copy < ours->copies(); ++copy) EXPECT_EQ(ours->current_tour(copy), theirs->current_tour(copy));
  }

  std::unique_ptr<policy::Backend> backend_;
};

TEST_F(CudaBackend, ReplaysRecordedTraces) {
  for (const auto& entry : std::filesystem::directory_iterator(NEUOPT_TEST_DATA "/golden")) {
    const trace::Discrepancies table =
        trace::check_trace(trace::Trace::open(entry.path()), *backend_, trace::tolerances_for("cuda"));
    for (const trace::Discrepancy& row : table.rows())
      EXPECT_TRUE(row.passed()) << entry.path() << " " << row.quantity << ": " << row.largest << ", " << row.where;
  }
}

/// In single precision the GPU makes the same choices as the reference for many steps: it draws the same numbers.
TEST_F(CudaBackend, SinglePrecisionFollowsTheReference) {
  for (const ProblemKind problem : kProblemKinds) {
    const test::Worlds worlds(problem, 12, 4);
    const auto model = model_of(narrow(problem));
    policy::SessionOptions options;
    options.stall_limit = 3;
    const auto theirs = make_backend("reference", 1)->open(model, worlds.copies, options);
    options.precision = "fp32";
    const auto ours = backend_->open(model, worlds.copies, options);
    EXPECT_EQ(ours->advance(12), 12);
    theirs->advance(12);
    for (int copy = 0; copy < ours->copies(); ++copy) {
      EXPECT_EQ(ours->current_tour(copy), theirs->current_tour(copy)) << copy;
      EXPECT_EQ(ours->best_tour(copy), theirs->best_tour(copy)) << copy;
      EXPECT_NEAR(ours->status(copy).cost, theirs->status(copy).cost, 1e-9);
      EXPECT_EQ(ours->status(copy).best_cost == theirs->status(copy).best_cost ||
                    std::abs(ours->status(copy).best_cost - theirs->status(copy).best_cost) < 1e-9,
                true);
    }
    EXPECT_NEAR(ours->visits().feasible_share(), theirs->visits().feasible_share(), 1e-12);
  }
}

TEST_F(CudaBackend, AblationsFollowTheReference) {
  std::vector<policy::Architecture> variants(5, narrow(ProblemKind::tsp));
  variants[0].recurrent = false;
  variants[1].edge_stream = false;
  variants[2].fixed_k = true;
  variants[3].random_start_move = true;
  variants[4].logit_bound = 9;
  const test::Worlds worlds(ProblemKind::tsp, 10, 3);
  for (const policy::Architecture& architecture : variants) {
    const auto model = model_of(architecture);
    const auto ours = backend_->open(model, worlds.copies, {});
    const auto theirs = make_backend("reference", 1)->open(model, worlds.copies, {});
    ours->advance(8);
    theirs->advance(8);
    for (int copy = 0; copy < ours->copies(); ++copy) EXPECT_EQ(ours->current_tour(copy), theirs->current_tour(copy));
  }
}

TEST_F(CudaBackend, SearchesWithProspectsFollowTheReference) {
  for (const ProblemKind problem : {ProblemKind::tsp, ProblemKind::cvrp}) {
    policy::Architecture architecture = narrow(problem);
    architecture.prospects = true;
    const test::Worlds worlds(problem, 12, 4);
    for (const int foresight : {2, 3}) {
      architecture.foresight = foresight;
      expect_same_searches(model_of(architecture), worlds);
    }
    expect_same_searches(model_of(architecture), worlds, 2);

    architecture.dim = architecture.feed_forward = 128;  // has a network in half precision
    const auto told = model_of(architecture);
    policy::Model untold = *told;
    for (float& weight : untold.weights[policy::kProspectTable]) weight = 0;
    const auto with = backend_->open(told, worlds.copies, {});
    const auto without = backend_->open(std::make_shared<const policy::Model>(untold), worlds.copies, {});
    with->advance(12);
    without->advance(12);
    EXPECT_NE(with->current_tour(0), without->current_tour(0));
  }
}

TEST_F(CudaBackend, MaskedSearchesFollowTheReferenceAndStayFeasible) {
  policy::Architecture architecture = narrow(ProblemKind::cvrp);
  architecture.max_moves = 2;
  architecture.masking = true;
  const test::Worlds worlds(ProblemKind::cvrp, 12, 4);
  expect_same_searches(model_of(architecture), worlds);

  architecture.dim = architecture.feed_forward = 128;  // has a network in half precision
  const test::Worlds more(ProblemKind::cvrp, 20, 300);
  policy::SessionOptions options;
  for (const char* precision : {"fp16", "fp32"}) {
    options.precision = precision;
    const auto session = backend_->open(model_of(architecture), more.copies, options);
    session->advance(100);
    EXPECT_EQ(session->visits().feasible_share(), 1.0) << precision;
  }
}

/// The first states of TSP searches, each with the same legal choices by rank.
struct FirstStates {
  test::Worlds worlds;
  std::vector<std::vector<float>> features;
  std::vector<std::vector<int>> choices;
  std::vector<policy::NetworkInput> inputs;

  FirstStates(int nodes, int count) : worlds(ProblemKind::tsp, nodes, count), features(worlds.copies.size()) {
    for (std::size_t i = 0; i < worlds.copies.size(); ++i) {
      const SearchInstance& instance = worlds.instances[i];
      const std::vector<int>& tour = worlds.copies[i].start;
      for (std::size_t node = 0; node < instance.x.size(); ++node)
        features[i].insert(features[i].end(), {instance.x[node], instance.y[node]});
      choices.push_back({tour[0], tour[3], tour[6], tour[9]});
    }
    for (std::size_t i = 0; i < worlds.copies.size(); ++i)
      inputs.push_back({nodes, 0, features[i], worlds.copies[i].start, {}, -1, choices[i]});
  }
};

/// Logits that are not legal count as -100: how large they are says nothing.
double largest_difference(const std::vector<double>& left, const std::vector<double>& right) {
  double largest = left.size() == right.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    largest = std::max(largest, test::difference(std::max(left[i], -100.0), std::max(right[i], -100.0)));
  return largest;
}

/// One size for each kind of block of the encoder, and enough instances for several to share a block where they fit.
TEST_F(CudaBackend, HalfPrecisionStaysCloseToTheReferenceAtEverySize) {
  const auto model = model_of(policy::paper_architecture(ProblemKind::tsp));
  const trace::TraceTolerances tolerance = trace::tolerances_for("cuda", "fp16");
  const auto backend = make_backend("cuda", 1, "fp16");  // comparisons are in single precision else
  const std::pair<int, int> sizes[] = {{12, 3}, {20, 900}, {70, 300}, {100, 200}, {128, 3}, {150, 3}, {250, 3}};
  for (const auto& [nodes, count] : sizes) {
    const FirstStates states(nodes, count);
    const std::vector<policy::NetworkOutput> found = backend->evaluate(*model, states.inputs);
    const bool half = backend->name().find(", fp16") != std::string::npos;
    EXPECT_TRUE(half || nodes > 128) << backend->name();  // some devices have too little shared memory for more
    if (!half) continue;
    const std::span<const policy::NetworkInput> last = std::span(states.inputs).last(2);
    const std::vector<policy::NetworkOutput> expected = make_backend("reference", 1)->evaluate(*model, last);
    for (std::size_t i = 0; i < 2; ++i) {
      const policy::NetworkOutput& ours = found[states.inputs.size() - 2 + i];
      EXPECT_LT(largest_difference(ours.embeddings, expected[i].embeddings), tolerance.embeddings) << nodes;
      EXPECT_LT(largest_difference(ours.logits, expected[i].logits), tolerance.logits) << nodes;
    }
  }
}

TEST_F(CudaBackend, TheSameSeedGivesTheSameAnswerInBatchesOfAnySize) {
  const test::Worlds worlds(ProblemKind::cvrp, 20, 900);  // several to a block; the five have one each
  const auto model = model_of(policy::paper_architecture(ProblemKind::cvrp));
  const auto all = backend_->open(model, worlds.copies, {});
  const auto some = backend_->open(model, std::span(worlds.copies).subspan(30, 5), {});
  all->advance(40);
  some->advance(25);
  some->advance(15);
  for (int copy = 0; copy < 5; ++copy) {
    EXPECT_EQ(all->current_tour(30 + copy), some->current_tour(copy));
    EXPECT_EQ(all->status(30 + copy).best_cost, some->status(copy).best_cost);
  }
}

/// To the last bit: a difference in rounding changes few draws, and a search of a few steps would hide it.
TEST_F(CudaBackend, TheNetworkSaysTheSameInBatchesOfAnySize) {
  const std::tuple<const char*, int, int> cases[] = {{"fp16", 100, 200}, {"fp32", 20, 900}, {"fp32", 300, 70}};
  for (const auto& [precision, nodes, count] : cases) {
    SCOPED_TRACE(std::string(precision) + ", nodes: " + std::to_string(nodes));
    const auto model = model_of(policy::paper_architecture(ProblemKind::tsp));
    const auto backend = make_backend("cuda", 1, precision);
    const FirstStates states(nodes, count);
    const std::vector<policy::NetworkOutput> all = backend->evaluate(*model, states.inputs);
    for (const std::size_t some : {1, 5}) {
      const auto found = backend->evaluate(*model, std::span(states.inputs).subspan(30, some));
      for (std::size_t i = 0; i < some; ++i) {
        EXPECT_EQ(all[30 + i].embeddings, found[i].embeddings) << some;
        EXPECT_EQ(all[30 + i].logits, found[i].logits) << some;
      }
    }
  }
}

TEST_F(CudaBackend, MixedSizesShareASession) {
  test::Worlds small(ProblemKind::tsp, 20, 3), large(ProblemKind::tsp, 150, 2);
  std::vector<policy::Copy> copies;
  copies.push_back(large.copies[0]);
  copies.push_back(small.copies[0]);
  copies.push_back(large.copies[1]);
  const auto model = model_of(policy::paper_architecture(ProblemKind::tsp));
  const auto session = backend_->open(model, copies, {});
  session->advance(10);
  EXPECT_EQ(session->best_tour(0).size(), 150u);
  EXPECT_EQ(session->best_tour(1).size(), 20u);
  for (int copy = 0; copy < 3; ++copy) {
    EXPECT_EQ(session->status(copy).history.steps, 10);
    std::vector<int> tour = session->best_tour(copy);
    EXPECT_NEAR(tour_cost(*copies[static_cast<std::size_t>(copy)].instance, tour), session->status(copy).best_cost,
                1e-4);
    std::sort(tour.begin(), tour.end());
    for (std::size_t i = 0; i < tour.size(); ++i) EXPECT_EQ(tour[i], static_cast<int>(i));
  }
}

TEST_F(CudaBackend, ObserversSeeEveryStep) {
  const test::Worlds worlds(ProblemKind::tsp, 15, 2);
  const auto session = backend_->open(model_of(policy::paper_architecture(ProblemKind::tsp)), worlds.copies, {});
  std::vector<int> steps;
  session->observe([&](const policy::StepRecord& record) {
    steps.push_back(record.step);
    EXPECT_GE(record.k, 1);
    EXPECT_GE(static_cast<int>(record.chosen.size()), record.k);
    EXPECT_EQ(record.order.size(), 15u);
    EXPECT_NEAR(tour_cost(worlds.instances[static_cast<std::size_t>(record.copy)], record.order), record.cost, 1e-4);
  });
  session->advance(5);
  EXPECT_EQ(steps, (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
}

TEST_F(CudaBackend, StopsWhenToldTo) {
  const test::Worlds worlds(ProblemKind::tsp, 20, 2);
  const auto session = backend_->open(model_of(policy::paper_architecture(ProblemKind::tsp)), worlds.copies, {});
  const std::atomic<bool> stop = true;
  EXPECT_EQ(session->advance(1000, &stop), 0);
}

TEST_F(CudaBackend, UnknownPrecisionsAreRefused) {
  const test::Worlds worlds(ProblemKind::tsp, 20, 1);
  policy::SessionOptions options;
  options.precision = "bf16";
  EXPECT_THROW(backend_->open(model_of(narrow(ProblemKind::tsp)), worlds.copies, options), InputError);
}

}  // namespace
}  // namespace neuopt::backends
#endif
