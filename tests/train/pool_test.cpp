// Searches that are chosen from a pool of rivals before learning begins.
#include <gtest/gtest.h>

#include "core/error.h"
#include "train/search_pool.h"
#include "train/size_learner.h"

namespace neuopt::train {
namespace {

TrainConfig pool_config(const std::string& problem, int pool) {
  return parse_train_config(
      "", "test",
      {"problem=" + problem, "algorithm=groups", "size=12", "dim=16", "heads=2", "feed_forward=16", "layers=1",
       "batch=6", "group=4", "horizon=5", "steps=20", "rows=32", "minibatches=2", "inner_epochs=1", "device=cpu",
       "threads=1", "first_epoch=15", "pool=" + std::to_string(pool)});
}

/// A pool at the starts of its first batch.
struct Pool {
  Pool(const std::string& problem, int searches)
      : config(pool_config(problem, searches)),
        state(config, torch::kCPU),
        context(config, state, torch::kCPU),
        pool(context) {
    pool.begin_batch(0);
    context.sampler->take_weights();
  }

  void take_steps(int count) {
    for (int step = 0; step < count; ++step) pool.step();
  }

  TrainConfig config;
  LearningState state;
  SizeContext context;
  SearchPool pool;
};

Observation seen_of(const BatchEnvironment& environment) {
  Observation seen = environment.empty_observation(environment.options().batch);
  environment.observe(seen);
  return seen;
}

TEST(SearchPoolTest, TheFurthestBehindComeFirst) {
  const torch::Tensor costs = torch::tensor({10., 10., 11., 10., 5., 5.4, 7., 7., 20., 21.});
  const torch::Tensor chosen = furthest_behind(costs, 5);
  EXPECT_TRUE(chosen.equal(torch::tensor({2, 5, 9, 0, 6}))) << chosen;
}

TEST(SearchPoolTest, RivalsSearchTheSameInstancesEachInItsOwnWay) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    Pool p(problem, 4);
    const torch::Tensor places = p.pool.searches().places();
    ASSERT_EQ(places.size(0), 24);
    EXPECT_TRUE(places.view({12, 2, -1}).select(1, 0).equal(places.view({12, 2, -1}).select(1, 1))) << problem;
    p.take_steps(15);
    const torch::Tensor orders = p.pool.searches().orders().view({12, 2, -1});
    EXPECT_FALSE(orders.select(1, 0).equal(orders.select(1, 1))) << problem;
  }
}

TEST(SearchPoolTest, TheBeatenAreHandedOverWithTheirInstances) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    Pool p(problem, 4);
    p.take_steps(15);
    p.pool.hand_over();
    const torch::Tensor costs = p.pool.searches().best_costs(), index = furthest_behind(costs, 6);
    const Observation all = seen_of(p.pool.searches()), chosen = seen_of(p.context.environment);
    EXPECT_TRUE(chosen.features.equal(all.features.index_select(0, index))) << problem;
    EXPECT_TRUE(chosen.costs.equal(all.costs.index_select(0, index))) << problem;
    EXPECT_TRUE(p.context.environment.orders().equal(p.pool.searches().orders().index_select(0, index))) << problem;
    // What is not seen came along too: the same actions have the same effect.
    const std::int64_t row = index[0].item<std::int64_t>();
    torch::Tensor choices = torch::zeros({24, p.config.max_moves}, torch::kInt32), rewards = torch::zeros({24, 3});
    for (int move = 0; move < p.config.max_moves; ++move) choices.select(1, move).fill_(2 * move + 1);
    torch::Tensor few = torch::zeros({6, 3});
    p.context.environment.step(choices.slice(0, 0, 6).contiguous(), p.state.mean_improvement, few);
    BatchEnvironment rivals(p.pool.searches().options());
    rivals.branch_from(p.pool.searches());
    rivals.step(choices, p.state.mean_improvement, rewards);
    EXPECT_TRUE(few[0].equal(rewards[row])) << problem;
    EXPECT_TRUE(p.context.environment.orders()[0].equal(rivals.orders()[row])) << problem;
  }
}

TEST(SearchPoolTest, WhereNoneIsBeatenInstancesStillComeOnce) {
  Pool p("tsp", 2);
  const torch::Tensor began = p.pool.hand_over();
  const torch::Tensor first = p.context.environment.places().select(1, 0);
  EXPECT_EQ(std::get<0>(torch::unique_dim(first, 0)).size(0), 6);
  EXPECT_EQ(began.item<float>(), p.context.environment.best_costs().mean().item<float>());
}

TEST(SearchPoolTest, BatchesOfAPoolShareNoInstances) {
  Pool p("tsp", 4);
  const torch::Tensor first = p.pool.searches().places().select(1, 0).clone();
  p.pool.begin_batch(1);
  const torch::Tensor second = p.pool.searches().places().select(1, 0);
  EXPECT_FALSE((first.unsqueeze(0) == second.unsqueeze(1)).all(2).any().item<bool>());
}

TEST(SearchPoolTest, LearnsFromThem) {
  const TrainConfig config = pool_config("cvrp", 4);
  LearningState state(config, torch::kCPU);
  SizeLearner learner(config, state, torch::kCPU);
  const torch::Tensor before = state.parameters.flat().clone();
  const BatchStatistics batch = learner.train_batch(
      0, [] { return 0.0; }, [] { return false; });
  EXPECT_EQ(batch.curriculum_steps, 15);
  EXPECT_EQ(batch.steps, 20);
  EXPECT_LE(batch.start_cost, batch.initial_cost);
  EXPECT_LE(batch.final_cost, batch.start_cost);
  EXPECT_FALSE(before.equal(state.parameters.flat()));
}

TEST(SearchPoolTest, ImpossibleSettingsAreRefused) {
  EXPECT_THROW(pool_config("tsp", 3), InputError);
  EXPECT_THROW(pool_config("tsp", 400000000), InputError);
  EXPECT_THROW(parse_train_config("", "test", {"pool=2", "depths=2"}), InputError);
  EXPECT_EQ(pool_config("tsp", 1).instances_of_batch(), 6);
  EXPECT_EQ(pool_config("tsp", 4).instances_of_batch(), 12);
}

}  // namespace
}  // namespace neuopt::train
