// The policy breaks no fixed edge, in any step.
#include "support/fixed_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backends/factory.h"
#include "env/host_instance.h"
#include "problem/generate.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "support/random_model.h"

namespace neuopt::backends {
namespace {

class FixedEdges : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::vector<std::string> here = backend_names();
    if (std::find(here.begin(), here.end(), GetParam()) == here.end()) GTEST_SKIP() << "no " << GetParam() << " here";
  }

  /// Takes steps on an instance, and returns how many of them changed the tour.
  int watch(const Instance& instance, const policy::Architecture& architecture, std::uint64_t seed) {
    const SearchInstance view = make_search_instance(instance);
    const local::Neighbours neighbours = local::find_neighbours(view);
    std::vector<policy::Copy> copies;
    for (std::uint32_t copy = 0; copy < 3; ++copy)
      copies.push_back({.instance = &view,
                        .instance_id = 0,
                        .copy_id = copy,
                        .start = env::standard_start(view, Random{seed}, 0, copy),
                        .neighbours = &neighbours});
    const auto model = std::make_shared<policy::Model>(test::random_model(architecture, seed));
    policy::SessionOptions options;
    options.seed = seed;
    options.polish_interval = 7;
    options.restart_interval = 15;
    const auto session = make_backend(GetParam(), 1)->open(model, copies, options);
    int changed = 0;
    std::vector<std::vector<int>> last;
    for (const policy::Copy& copy : copies) last.push_back(copy.start);
    session->observe([&](const policy::StepRecord& record) {
      const std::vector<int> order(record.order.begin(), record.order.end());
      const Verdict verdict = verify(instance, to_solution(view, order));
      EXPECT_TRUE(verdict.feasible) << "step " << record.step << ": " << verdict.findings.front();
      EXPECT_TRUE(record.polished.empty() || verify(instance, to_solution(view, record.polished)).feasible);
      changed += order != last[static_cast<std::size_t>(record.copy)] ? 1 : 0;
      last[static_cast<std::size_t>(record.copy)] = order;
    });
    session->advance(40);
    for (int copy = 0; copy < session->copies(); ++copy)
      EXPECT_TRUE(verify(instance, to_solution(view, session->best_tour(copy))).feasible);
    return changed;
  }
};

TEST_P(FixedEdges, SurviveEveryStep) {
  policy::Architecture architecture = test::small_architecture(ProblemKind::tsp);
  for (const bool fixed_k : {false, true}) {
    architecture.fixed_k = fixed_k;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      SCOPED_TRACE(seed);
      architecture.prospects = seed % 2 == 0;
      architecture.foresight = architecture.prospects ? 3 : 2;
      test::Draws draws(seed);
      Instance instance = generate_uniform(ProblemKind::tsp, draws.between(10, 40), seed, 0);
      test::fix_random_edges(instance, draws.between(5, 90), draws);
      while (instance.free_edges() < 3) instance.fixed_edges.pop_back();
      EXPECT_GT(watch(instance, architecture, seed), 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, FixedEdges, testing::Values("reference", "cpu", "cuda"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
}  // namespace neuopt::backends
