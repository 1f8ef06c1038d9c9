// Rewards for what local search makes of the ends of branches.
#include "train/branch_polish.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "local/polish.h"
#include "train/group_learning.h"

namespace neuopt::train {
namespace {

constexpr int kGroup = 4;

TrainConfig polished_config(const std::string& problem) {
  return parse_train_config(
      "", "test",
      {"problem=" + problem, "algorithm=groups", "size=30", "dim=16", "heads=2", "feed_forward=16", "layers=1",
       "batch=3", "group=" + std::to_string(kGroup), "horizon=5", "steps=20", "rows=32", "minibatches=2",
       "inner_epochs=1", "device=cpu", "threads=2", "polished_ends=true"});
}

/// The customers by their distance from one, without it; of equals the smaller first.
std::vector<std::int32_t> by_distance(const env::InstanceView& instance, int from) {
  std::vector<std::int32_t> others;
  for (int node = instance.depots; node < instance.nodes; ++node)
    if (node != from) others.push_back(node);
  std::stable_sort(others.begin(), others.end(), [&](int a, int b) {
    return std::hypot(instance.x[a] - instance.x[from], instance.y[a] - instance.y[from]) <
           std::hypot(instance.x[b] - instance.x[from], instance.y[b] - instance.y[from]);
  });
  return others;
}

/// What local search makes of the tour of a row; infinite where that is not feasible.
double polished_cost(const BatchEnvironment& environment, int row) {
  const env::SearchBatch searches = environment.searches();
  const env::InstanceView& instance = searches.instances[row];
  std::vector<std::int32_t> lists,
      order(searches.order + row * searches.nodes, searches.order + (row + 1) * searches.nodes);
  for (int node = instance.depots; node < instance.nodes; ++node) {
    const std::vector<std::int32_t> near = by_distance(instance, node);
    lists.insert(lists.end(), near.begin(), near.begin() + local::kUsualNeighbours);
  }
  local::Polished polished{};
  env::for_problem(environment.options().kind, [&](auto problem) {
    using Search = local::LocalSearch<decltype(problem)>;
    std::vector<double> workspace(Search::bytes(instance.nodes) / sizeof(double) + 1);
    const local::LocalTask task{
        instance, {lists.data(), local::kUsualNeighbours, instance.depots}, local::polish_rules()};
    polished = Search::polish(SerialLanes{}, task, order.data(), workspace.data());
  });
  return polished.violation > 0 ? INFINITY : polished.cost;
}

TEST(BranchPolishTest, KnowsWhatLocalSearchMakesOfTheStarts) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    const GroupLearning l(polished_config(problem), 1);
    const torch::Tensor known = l.learner.polish()->known();
    for (int search = 0; search < 3; ++search)
      EXPECT_NEAR(known[search].item<double>(), polished_cost(l.context.environment, search), 1e-9) << problem;
  }
}

TEST(BranchPolishTest, RewardsOnlyEndsAndOnlyWhatWasNotKnown) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    GroupLearning l(polished_config(problem), 1);
    int rewarded = 0;
    for (int rollout = 0; rollout < 6; ++rollout) {
      const torch::Tensor known = l.learner.polish()->known().clone();
      l.learner.roll_out();
      const torch::Tensor rewards = l.learner.rollout().rewards;  // (h, B * G, 3)
      EXPECT_EQ(rewards.narrow(0, 0, 4).select(2, 0).abs().max().item<float>(), 0) << problem;
      for (int row = 0; row < 3 * kGroup; ++row) {
        const double before = known[row / kGroup].item<double>();
        const double end = std::min(before, polished_cost(l.learner.branches(), row));
        EXPECT_NEAR(rewards[4][row][0].item<float>(), before - end, 2e-5) << problem << " row " << row;
        if (before - end > 1e-3) ++rewarded;
        if (row % kGroup != 0) continue;
        EXPECT_NEAR(l.learner.polish()->known()[row / kGroup].item<double>(), end, 1e-6) << problem;
      }
    }
    EXPECT_GT(rewarded, 0) << problem;
  }
}

}  // namespace
}  // namespace neuopt::train
