// What a critic says of the time after a group rollout.
#include "train/branch_critic.h"

#include <gtest/gtest.h>

#include "train/config.h"
#include "train/critic_network.h"
#include "train/group_learning.h"

namespace neuopt::train {
namespace {

TrainConfig critic_config(const std::string& problem, int interval = 0) {
  return parse_train_config("", "test",
                            {"bootstrap_interval=" + std::to_string(interval),
                             "bootstrap_share=0.3",
                             "problem=" + problem,
                             "algorithm=groups",
                             "size=12",
                             "dim=16",
                             "heads=2",
                             "feed_forward=16",
                             "layers=1",
                             "batch=6",
                             "group=4",
                             "horizon=5",
                             "steps=20",
                             "rows=32",
                             "minibatches=3",
                             "inner_epochs=1",
                             "device=cpu",
                             "threads=1",
                             "bootstrap=true",
                             "gamma=0.9",
                             "critic_rate=0.003"});
}

struct CriticLearning : GroupLearning {
  explicit CriticLearning(const std::string& problem, int interval = 0)
      : GroupLearning(critic_config(problem, interval), 3) {}
};

/// The critic's word on states of these costs: current, best, best epsilon-feasible.
torch::Tensor reward_values(const Parameters& parameters, const torch::Tensor& embeddings, const torch::Tensor& costs) {
  const torch::Tensor current = costs.select(1, 0), best = costs.select(1, 1);
  return CriticNetwork(parameters).reward_value(embeddings, (10 * (current / best - 1)).unsqueeze(1)).view(-1);
}

TEST(BranchCriticTest, ReturnsGoOnAfterTheRolloutAsTheCriticSays) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"}) {
    CriticLearning l(problem);
    l.learner.roll_out();
    const Chunk& rollout = l.learner.rollout();
    const torch::Tensor to_come = l.learner.critic()->to_come();
    EXPECT_GT(to_come.view({6, 4}).std(1).min().item<double>(), 0) << problem << ": branches stand in different states";
    torch::Tensor expected = to_come;
    for (int step = 4; step >= 0; --step) {
      expected = rollout.rewards[step].sum(-1) + 0.9 * expected;
      EXPECT_TRUE(l.learner.returns()[step].view(-1).allclose(expected, 1e-5, 1e-7)) << problem << " step " << step;
    }
  }
}

/// Step by step from the definition: what is ahead of a step is known when the critic has had its say before the next.
TEST(BranchCriticTest, HasASayOnTheWay) {
  for (const char* problem : {"tsp", "cvrp"}) {
    CriticLearning l(problem, 2);  // before the steps 2 and 4 of 0 to 4
    l.learner.roll_out();
    const BranchCritic& critic = *l.learner.critic();
    ASSERT_EQ(critic.on_the_way().size(0), 2);
    for (const int say : {0, 1}) {
      const Observation states = states_at(l.learner.rollout(), 2 * (say + 1));
      const torch::Tensor embeddings = l.context.policy.encode(l.context.policy.prepare(), states.features);
      const torch::Tensor value = reward_values(l.state.parameters, embeddings, states.costs);
      EXPECT_TRUE(critic.on_the_way()[say].allclose(value * l.state.value_unit, 1e-4, 1e-7)) << problem;
    }
    const torch::Tensor rewards = l.learner.rollout().rewards.sum(-1);
    const torch::Tensor at4 = rewards[4] + 0.9 * critic.to_come();
    const torch::Tensor at3 = rewards[3] + 0.9 * (0.7 * at4 + 0.3 * critic.on_the_way()[1]);
    const torch::Tensor at2 = rewards[2] + 0.9 * at3;
    const torch::Tensor at1 = rewards[1] + 0.9 * (0.7 * at2 + 0.3 * critic.on_the_way()[0]);
    const torch::Tensor at0 = rewards[0] + 0.9 * at1;
    const torch::Tensor expected = torch::stack({at0, at1, at2, at3, at4});
    EXPECT_TRUE(l.learner.returns().reshape({5, -1}).allclose(expected, 1e-5, 1e-7)) << problem;
  }
}

TEST(BranchCriticTest, UpdatesLowerItsLossAndLeaveThePolicyToItsOwn) {
  CriticLearning l("cvrp");
  l.learner.roll_out();
  const Rows& rows = l.learner.rollout();
  const torch::Tensor returns = l.learner.returns().reshape(-1), weight = torch::ones_like(returns);
  const torch::Tensor embeddings = l.context.policy.encode(l.context.policy.prepare(), rows.states.features).detach();
  const auto loss = [&] { return l.learner.critic()->loss(embeddings, rows, returns, weight); };
  const double before = loss().item<double>();
  for (int update = 0; update < 200; ++update) {
    l.context.announce_updates(1);
    const torch::Tensor now = loss();
    l.context.descend({now, now, now, now}, rows.log_prob.size(0));
  }
  EXPECT_LT(loss().item<double>(), 0.8 * before);
  EXPECT_EQ(l.state.adam.norms[0].item<double>(), 0) << "its loss ends at the embeddings";
}

TEST(BranchCriticTest, ExplainsWhatItWasToldInsideTheGroups) {
  CriticLearning l("tsp");
  l.learner.roll_out();
  const Observation states = states_at(l.learner.rollout(), 2);
  const BranchCritic& critic = *l.learner.critic();
  const torch::Tensor embeddings = l.context.policy.encode(l.context.policy.prepare(), states.features);
  const torch::Tensor own = reward_values(l.state.parameters, embeddings, states.costs).detach().view({6, 4});
  torch::manual_seed(2);
  const torch::Tensor of_groups = 100 * torch::randn({6, 1});
  EXPECT_NEAR(critic.explained(states, 3 * own + of_groups).item<double>(), 1, 1e-3)
      << "means of the groups do not count";
  EXPECT_NEAR(critic.explained(states, -own).item<double>(), -1, 1e-3);
  EXPECT_EQ(critic.explained(states, torch::ones({6, 4})).item<double>(), 0);
}

TEST(BranchCriticTest, TheFirstRolloutSetsTheUnitOfTheValues) {
  CriticLearning l("tsp");
  EXPECT_EQ(l.state.value_unit.item<double>(), 0);
  l.learner.roll_out();
  const double unit = l.state.value_unit.item<double>();
  EXPECT_NEAR(unit, 10 * l.learner.rollout().rewards.select(2, 0).mean().item<double>(), 1e-5 * unit);
  l.learner.roll_out();
  EXPECT_EQ(l.state.value_unit.item<double>(), unit);
}

}  // namespace
}  // namespace neuopt::train
