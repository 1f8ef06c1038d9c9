// Group rollouts: branches, advantages, the choice of rows and the loss on them.
#include <gtest/gtest.h>

#include "core/error.h"
#include "train/edge_credit.h"
#include "train/group_learning.h"
#include "train/ppo.h"
#include "train/size_learner.h"

namespace neuopt::train {
namespace {

TrainConfig small_config(const std::string& problem, const std::string& setting) {
  return parse_train_config("", "test",
                            {"problem=" + problem, "algorithm=groups", "size=12", "dim=16", "heads=2",
                             "feed_forward=16", "layers=1", "batch=6", "group=4", "horizon=5", "steps=20", "rows=32",
                             "minibatches=3", "inner_epochs=1", "device=cpu", "threads=1", setting});
}

/// A learner whose searches are a few steps from their starts.
struct Learning : GroupLearning {
  explicit Learning(const std::string& problem, const std::string& setting = "seed=1")
      : GroupLearning(small_config(problem, setting), 3) {}
};

Observation observe(const BatchEnvironment& environment) {
  Observation seen = environment.empty_observation(environment.options().batch);
  environment.observe(seen);
  return seen;
}

/// Whether what is seen of these branches is what is seen of their searches.
bool same(const Observation& searches, const Observation& branches, std::int64_t first_branch, std::int64_t count) {
  const auto equal = [&](const torch::Tensor& one, const torch::Tensor& many) {
    const std::int64_t rows = one.size(0), values = one.numel() / rows;
    const torch::Tensor groups = many.reshape({rows, -1, values}).narrow(1, first_branch, count);
    return groups.eq(one.reshape({rows, 1, values})).all().item<bool>();
  };
  return equal(searches.features, branches.features) && equal(searches.exploration, branches.exploration) &&
         equal(searches.previous_anchor, branches.previous_anchor) && equal(searches.costs, branches.costs);
}

TEST(BranchTest, BranchesShareTheirStartAndTheSearchGoesOnWithTheFirst) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    Learning l(problem);
    BatchEnvironment& searches = l.context.environment;
    EnvironmentOptions options = searches.options();
    options.batch *= 4;
    BatchEnvironment branches(options);
    Chunk chunk = empty_chunk(branches, 7);
    for (int round = 0; round < 3; ++round) {
      branches.branch_from(searches);
      EXPECT_TRUE(same(observe(searches), observe(branches), 0, 4)) << problem;
      roll_out(branches, *l.context.sampler, l.context.key, l.state.mean_improvement, chunk);
      searches.take_first_branches(branches);
      EXPECT_TRUE(same(observe(searches), observe(branches), 0, 1)) << problem;
      for (int branch = 1; branch < 4; ++branch)
        EXPECT_FALSE(same(observe(searches), observe(branches), branch, 1)) << problem;
      EXPECT_TRUE(searches.best_costs().equal(branches.best_costs().view({-1, 4}).select(1, 0).contiguous()));
    }
    // What is not seen was copied too: the same actions lead to the same states from then on.
    branches.branch_from(searches);
    roll_out(branches, *l.context.sampler, l.context.key, l.state.mean_improvement, chunk);
    torch::Tensor rewards = torch::zeros({options.batch / 4, 3});
    for (int step = 0; step < 7; ++step) {
      const torch::Tensor choices = chunk.choices.narrow(0, step * options.batch, options.batch);
      searches.step(choices.view({-1, 4, options.max_moves}).select(1, 2).contiguous(), l.state.mean_improvement,
                    rewards);
      EXPECT_TRUE(rewards.equal(chunk.rewards[step].view({-1, 4, 3}).select(1, 2))) << problem << " step " << step;
    }
    EXPECT_TRUE(same(observe(searches), observe(branches), 2, 1)) << problem;
    searches.restart_from_best();
    branches.restart_from_best();
    EXPECT_TRUE(same(observe(searches), observe(branches), 2, 1)) << problem;
  }
}

TEST(GroupRolloutTest, GroupsStartTogetherAndPart) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    Learning l(problem);
    const Observation before = observe(l.context.environment);
    l.learner.roll_out();
    const Chunk& rollout = l.learner.rollout();
    const auto states_of = [&](std::int64_t step) {
      const auto part = [&](const torch::Tensor& all) { return all.narrow(0, step * 24, 24); };
      return Observation{part(rollout.states.features), part(rollout.states.exploration),
                         part(rollout.states.previous_anchor), part(rollout.states.costs)};
    };
    EXPECT_TRUE(same(before, states_of(0), 0, 4)) << problem;
    for (int branch = 0; branch < 4; ++branch) EXPECT_FALSE(same(before, states_of(1), branch, 1)) << problem;
    const torch::Tensor first = states_of(4).features.view({6, 4, -1});
    EXPECT_FALSE(first.narrow(1, 1, 3).eq(first.narrow(1, 0, 1)).all().item<bool>()) << problem;
    const Observation after = observe(l.context.environment);
    l.learner.roll_out();
    EXPECT_TRUE(same(after, states_of(0), 0, 4)) << problem;
  }
}

TEST(GroupRolloutTest, StepsThatOnlyLookAheadAreNotLearnedFrom) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"})
    for (const int lookahead : {4, 3}) {  // of 5 steps
      Learning l(problem, "lookahead=" + std::to_string(lookahead));
      const torch::Tensor starts = observe(l.context.environment).features;
      l.learner.learn();
      const torch::Tensor rows = l.learner.last_rows().states.features;
      const torch::Tensor is_start =
          rows.reshape({-1, 1, starts.numel() / 6}).eq(starts.reshape({1, 6, -1})).all(2).any(1);
      EXPECT_EQ(is_start.all().item<bool>(), lookahead == 4) << problem;
    }
}

TEST(GroupRolloutTest, CreditForEdgesIsThatOfTheToursOfTheRollout) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    Learning l(problem, "edge_credit=1");
    l.learner.roll_out();
    const Chunk& rollout = l.learner.rollout();
    ASSERT_EQ(rollout.orders.size(0), 6);
    const torch::Tensor begun = rollout.orders[0].view({6, 4, -1});
    EXPECT_TRUE(begun.eq(begun.narrow(1, 0, 1)).all().item<bool>()) << problem;
    EXPECT_TRUE(rollout.orders[5].view({6, 4, -1}).select(1, 0).equal(l.context.environment.orders())) << problem;
    const torch::Tensor gains = rollout.rewards.select(2, 0);
    const torch::Tensor credit = edge_credit(rollout.orders, gains, l.context.environment.options().depots);
    EXPECT_GT(gains.sum().item<float>(), 0) << problem;
    EXPECT_TRUE(credit.sum(0).allclose(gains.sum(0), 1e-4, 1e-6)) << problem;
  }
}

TEST(GroupAdvantageTest, RewardsToGoLessTheMeanOfTheGroup) {
  torch::manual_seed(5);
  const torch::Tensor rewards = torch::rand({3, 2, 4}, torch::kFloat64);
  const torch::Tensor advantages =
      group_advantages(n_step_returns(rewards, torch::zeros({2, 4}, torch::kFloat64), 0.9));
  for (int step = 0; step < 3; ++step)
    for (int search = 0; search < 2; ++search) {
      double to_go[4] = {}, mean = 0;
      for (int branch = 0; branch < 4; ++branch) {
        for (int later = 2; later >= step; --later)
          to_go[branch] = rewards[later][search][branch].item<double>() + 0.9 * to_go[branch];
        mean += to_go[branch] / 4;
      }
      for (int branch = 0; branch < 4; ++branch)
        EXPECT_NEAR(advantages[step][search][branch].item<double>(), to_go[branch] - mean, 1e-12);
    }
  EXPECT_LT(advantages.sum(2).abs().max().item<double>(), 1e-12);
}

TEST(GroupAdvantageTest, ScaledToARootMeanSquareOfOneAndClamped) {
  torch::manual_seed(6);
  const torch::Tensor advantages = 0.01 * torch::randn({3, 2, 4}, torch::kFloat64);
  EXPECT_NEAR(torch::square(scaled_advantages(advantages, 100)).mean().item<double>(), 1, 1e-9);
  EXPECT_EQ(scaled_advantages(advantages, 0.5).abs().max().item<double>(), 0.5);
  EXPECT_EQ(scaled_advantages(torch::zeros({3, 2, 4}), 5).abs().max().item<double>(), 0);
}

TEST(GroupAdvantageTest, EachDepthHasAScaleOfItsOwn) {
  torch::manual_seed(8);
  const torch::Tensor advantages = torch::randn({3, 4, 5}, torch::kFloat64);
  advantages.narrow(1, 2, 2).mul_(500);
  const torch::Tensor scaled = scaled_advantages(advantages, 100, 2);
  for (int part = 0; part < 2; ++part)
    EXPECT_NEAR(torch::square(scaled.narrow(1, 2 * part, 2)).mean().item<double>(), 1, 1e-9);
  EXPECT_TRUE(scaled.narrow(1, 0, 2).allclose(scaled_advantages(advantages.narrow(1, 0, 2).contiguous(), 100)));
}

TEST(GroupAdvantageTest, MixedByTheirRootMeanSquares) {
  const torch::Tensor first = torch::tensor({{{30.0, -30.0}}}), second = torch::tensor({{{-0.5, 0.5}}});
  EXPECT_TRUE(mixed_advantages(first, second, 1).allclose(torch::tensor({{{1.0, -1.0}}})));
  EXPECT_TRUE(mixed_advantages(first, second, 0.75).allclose(torch::tensor({{{0.5, -0.5}}})));
}

TEST(GroupAdvantageTest, AGroupThatHardlyGainsIsNotBlownUp) {
  torch::Tensor advantages = torch::ones({2, 3, 4}, torch::kFloat64);
  advantages.select(1, 1).mul_(0.5);
  advantages.select(1, 2).mul_(1e-7);
  const torch::Tensor scaled = scaled_advantages(advantages, 100, 3, 0.1);
  EXPECT_NEAR(scaled[0][0][0].item<double>(), 1, 1e-9);
  EXPECT_NEAR(scaled[0][1][0].item<double>(), 1, 1e-9);
  EXPECT_LT(scaled[0][2][0].item<double>(), 1e-5);
}

TEST(RowChoiceTest, SurpriseMakesARowLonger) {
  const torch::Tensor lengths = expected_lengths(torch::tensor({2.0, -2.0, 2.0}), torch::tensor({-1.0, -4.0, 1e-7}));
  EXPECT_TRUE(lengths.equal(torch::tensor({2.0, 4.0, 0.0})));
}

TEST(RowChoiceTest, RowsAreDrawnInProportionAndTheirWeightsMakeUpForIt) {
  torch::manual_seed(7);
  constexpr int kRows = 3000, kCount = 128, kDraws = 2000;
  torch::Tensor advantages = torch::randn({kRows});
  advantages.masked_fill_(torch::rand({kRows}).gt(0.1), 0.01);  // few that matter
  const torch::Tensor size = advantages.abs().to(torch::kFloat64), share = size + 0.05 * size.mean() + 1e-6;
  const torch::Tensor values = torch::randn({kRows}, torch::kFloat64) + advantages;  // follow the advantages
  const RowChoice choice(advantages.abs());
  torch::Tensor counts = torch::zeros({kRows}, torch::kFloat64);
  double estimate = 0, unweighted = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const ChosenRows chosen = choice.choose(kCount, (draw + 0.5) / kDraws);
    ASSERT_EQ(chosen.index.size(0), kCount);
    counts.index_add_(0, chosen.index, torch::ones({kCount}, torch::kFloat64));
    const torch::Tensor picked = values.index_select(0, chosen.index).abs();
    estimate += (chosen.weight * picked).mean().item<double>() / kDraws;
    unweighted += picked.mean().item<double>() / kDraws;
  }
  const torch::Tensor expected = kCount * share / share.sum();
  EXPECT_LT((counts / kDraws - expected).abs().max().item<double>(), 2.0 / kDraws);
  EXPECT_NEAR(estimate, values.abs().mean().item<double>(), 5e-3);
  EXPECT_GT(unweighted, values.abs().mean().item<double>() + 0.1);
}

TEST(RowChoiceTest, WithoutAnyAdvantageAllRowsCountTheSame) {
  const ChosenRows chosen = RowChoice(torch::zeros({100})).choose(50, 0.25);
  EXPECT_LT(chosen.weight.sub(1).abs().max().item<double>(), 1e-6);
  EXPECT_TRUE(chosen.index.equal(torch::arange(50) * 2));
  EXPECT_LE(RowChoice(torch::ones({100})).choose(30, 0.999999).index.max().item<std::int64_t>(), 99);
}

Rows rows_at(const Rows& all, const torch::Tensor& index) {
  const auto take = [&](const torch::Tensor& from) { return from.index_select(0, index); };
  return {{take(all.states.features), take(all.states.exploration), take(all.states.previous_anchor),
           take(all.states.costs)},
          take(all.choices),
          take(all.log_prob)};
}

torch::Tensor gradient_of(Learning& l, const Rows& rows, const torch::Tensor& advantage, const torch::Tensor& weight) {
  const DecodePlan plan = l.context.policy.plan(rows.states, rows.choices);
  const WeightedLoss parts = weighted_loss(l.context.policy, rows, plan, advantage, weight, 0.1, 0);
  EXPECT_LT((parts.log_prob - rows.log_prob).abs().max().item<double>(), 1e-4);
  find_gradients(l.state.parameters, parts.loss, rows.log_prob.size(0), Precision::fp32);
  return l.state.parameters.grad().clone();
}

TEST(WeightedLossTest, GradientOfChosenRowsIsThatOfAllRowsOnAverage) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    Learning l(problem);
    l.learner.roll_out();
    const Rows& all = l.learner.rollout();
    const torch::Tensor rewards = l.learner.rollout().rewards.sum(-1).view({5, 6, 4});
    const torch::Tensor advantage =
        scaled_advantages(group_advantages(n_step_returns(rewards, torch::zeros({6, 4}), 0.999)), 5).view(-1);
    const torch::Tensor whole = gradient_of(l, all, advantage, torch::ones({5 * 24}));
    const RowChoice choice(expected_lengths(advantage, all.log_prob));
    torch::Tensor mean = torch::zeros_like(whole);
    constexpr int kDraws = 100;
    for (int draw = 0; draw < kDraws; ++draw) {
      const ChosenRows chosen = choice.choose(32, (draw + 0.5) / kDraws);
      mean.add_(gradient_of(l, rows_at(all, chosen.index), advantage.index_select(0, chosen.index), chosen.weight));
    }
    EXPECT_LT((mean / kDraws - whole).norm().item<double>(), 0.03 * whole.norm().item<double>()) << problem;
  }
}

TEST(WeightedLossTest, EntropyIsLearnedOnlyWhereItHasAWeight) {
  Learning l("cvrp");
  l.learner.roll_out();
  const Rows& rows = l.learner.rollout();
  const torch::Tensor ones = torch::ones_like(rows.log_prob), zeros = torch::zeros_like(ones);
  const DecodePlan plan = l.context.policy.plan(rows.states, rows.choices);
  EXPECT_EQ(gradient_of(l, rows, zeros, ones).abs().max().item<double>(), 0);
  l.state.adam.set_learning_rates(1e-3, 1e-3);
  std::vector<double> entropy;
  for (int i = 0; i < 4; ++i) {
    const WeightedLoss parts = weighted_loss(l.context.policy, rows, plan, zeros, ones, 0.1, 0.1);
    entropy.push_back(parts.mean_entropy.item<double>());
    find_gradients(l.state.parameters, parts.loss, rows.log_prob.size(0), Precision::fp32);
    l.state.adam.step(parts.loss);
  }
  EXPECT_GT(entropy.back(), entropy.front());
}

TEST(GroupLearnerTest, EveryMinibatchIsAnUpdateAndThereIsNoCritic) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    Learning l(problem);
    EXPECT_FALSE(l.state.parameters.has_critic());
    const torch::Tensor before = l.state.parameters.flat().clone();
    l.learner.learn();
    l.learner.learn();
    EXPECT_EQ(l.state.updates, 6);
    EXPECT_EQ(l.state.adam.steps.item<double>(), 6);
    EXPECT_FALSE(before.equal(l.state.parameters.flat()));
    const GroupStatistics statistics = l.learner.statistics().value();
    EXPECT_GT(statistics.improved_branches, 0) << problem;
    EXPECT_GE(statistics.improved_groups, statistics.improved_branches) << problem;
    EXPECT_GT(statistics.rms_advantage, 0) << problem;
  }
}

TEST(GroupLearnerTest, WithoutARateWeightsStayAndDrawsOfRowsHaveGradientsOfTheirOwn) {
  Learning l("cvrp", "actor_rate=0");
  const torch::Tensor before = l.state.parameters.flat().clone();
  l.learner.roll_out();
  std::vector<torch::Tensor> gradients;
  for (const auto& [minibatch, draw] : {std::pair{0, 0}, {1, 0}, {0, 1}, {0, 0}}) {
    l.learner.learn_minibatch(minibatch, draw);
    gradients.push_back(l.state.parameters.grad().clone());
  }
  EXPECT_TRUE(before.equal(l.state.parameters.flat()));
  EXPECT_TRUE(gradients[0].equal(gradients[3]));
  EXPECT_FALSE(gradients[0].equal(gradients[1]));
  EXPECT_FALSE(gradients[0].equal(gradients[2]));
}

/// Looks at the searches where learning begins.
class Onlooker final : public Algorithm {
 public:
  Onlooker(SizeContext& context, Observation& seen) : context_(context), seen_(seen) {}

  void begin_batch(int) override { seen_ = observe(context_.environment); }
  void learn() override {}
  const Rows& last_rows() const override { return rows_; }

 private:
  SizeContext& context_;
  Observation& seen_;
  Rows rows_;
};

/// What the searches of the first batch look like when learning begins.
Observation seen_at_first(const TrainConfig& config, LearningState& state) {
  Observation seen;
  SizeLearner learner(config, state, torch::kCPU,
                      [&](SizeContext& context) { return std::make_unique<Onlooker>(context, seen); });
  learner.train_batch(
      0, [] { return 0.0; }, [] { return false; });
  return seen;
}

TEST(DepthsTest, PartsOfABatchBeginOneAfterAnother) {
  for (const char* problem : {"tsp", "cvrp"}) {
    TrainConfig config = small_config(problem, "depths=3");
    config.first_epoch = 41;  // steps before learning
    LearningState state(config, torch::kCPU);
    const Observation seen = seen_at_first(config, state);
    torch::Tensor deepest;
    for (const int late : {0, 20, 41}) {
      SizeContext context(config, state, torch::kCPU);
      context.begin_batch(0, 0);
      context.key.counters.select(0, 1).fill_(late);
      if (late < 41) {
        Chunk chunk = empty_chunk(context.environment, 41 - late);
        roll_out(context.environment, *context.sampler, context.key, state.mean_improvement, chunk);
      }
      context.environment.restart_from_best();
      const torch::Tensor expected = observe(context.environment).features;
      if (late == 0) deepest = expected;
      const auto part = [&](const torch::Tensor& features) { return features.narrow(0, late / 20 * 2, 2); };
      EXPECT_TRUE(part(seen.features).equal(part(expected))) << problem << " late by " << late;
      EXPECT_EQ(part(deepest).equal(part(expected)), late == 0) << problem << " late by " << late;
    }
  }
}

TEST(FreshTest, TheLastPartOfABatchBeginsAtItsStarts) {
  for (const char* pool : {"pool=1", "pool=2"}) {
    TrainConfig config = small_config("cvrp", "fresh=3");
    apply_setting(config, pool);
    config.first_epoch = 41;  // steps before learning
    LearningState state(config, torch::kCPU);
    const Observation seen = seen_at_first(config, state);
    SizeContext context(config, state, torch::kCPU);
    context.begin_batch(0, 0);
    context.environment.restart_from_best();
    const torch::Tensor starts = observe(context.environment).features;
    EXPECT_TRUE(seen.features.narrow(0, 4, 2).equal(starts.narrow(0, 4, 2))) << pool;
    EXPECT_FALSE(seen.features.narrow(0, 0, 4).equal(starts.narrow(0, 0, 4))) << pool;
    EXPECT_GT(starts.abs().max().item<double>(), 0) << pool;
  }
}

TEST(FreshTest, SettingsMustFitTogether) {
  const auto parsed = [](const std::vector<std::string>& settings) {
    return parse_train_config("batch = 6", "test", settings);
  };
  EXPECT_EQ(parsed({"fresh=3"}).parts_of_batch(), 3);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"fresh=1"}, {"fresh=4"}, {"fresh=-2"}, {"fresh=3", "depths=2"}})
    EXPECT_THROW(parsed(wrong), InputError) << wrong[0];
}

}  // namespace
}  // namespace neuopt::train
