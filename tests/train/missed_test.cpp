// Exchanges that a policy could have made: they are found where they are, lead where they promise, and are learned.
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include "core/error.h"
#include "train/group_learning.h"
#include "train/missed_exchanges.h"

namespace neuopt::train {
namespace {

constexpr int kMoves = 4;

TrainConfig config_for_missed(const std::string& problem, const std::string& setting = "seed=1") {
  return parse_train_config(
      "", "test", {"problem=" + problem, "algorithm=groups", "size=10",          "dim=16",         "heads=2",
                   "feed_forward=16",    "layers=1",         "batch=16",         "group=4",        "horizon=5",
                   "steps=20",           "rows=64",          "minibatches=3",    "inner_epochs=1", "device=cpu",
                   "threads=1",          "max_moves=4",      "actor_rate=0.003", "stall_limit=3",  setting});
}

/// Searches with their states as rows; their choices make no exchange.
Rows rows_of(const BatchEnvironment& searches) {
  Rows rows = empty_rows(searches, searches.options().batch);
  searches.observe(rows.states);
  rows.choices.select(1, 1).fill_(1);
  return rows;
}

/// All exchanges of two edges from each search, as branches: anchor a, then b, then the end.
torch::Tensor all_choices(int searches, int nodes, const torch::Tensor& previous_anchor) {
  torch::Tensor choices = torch::zeros({searches, nodes * nodes, kMoves}, torch::kInt32);
  auto at = choices.accessor<int, 3>();
  for (int s = 0; s < searches; ++s)
    for (int a = 0; a < nodes; ++a)
      for (int b = 0; b < nodes; ++b) {
        const int rank = (b - a + nodes) % nodes, number = a * nodes + b;
        const bool legal = rank >= 2 && rank <= nodes - 2 && a != previous_anchor[s].item<int>();
        at[s][number][0] = a;
        at[s][number][1] = legal ? b : (a + 1) % nodes;  // which is no exchange at all
        at[s][number][2] = legal ? (b + 1) % nodes : a;
        at[s][number][3] = a;
      }
  return choices.view({-1, kMoves});
}

torch::Tensor improvements(BatchEnvironment& searches, const torch::Tensor& choices) {
  torch::Tensor rewards = torch::zeros({choices.size(0), 3});
  searches.step(choices.contiguous(), torch::full({}, 0.01f), rewards);
  return rewards.select(1, 0);
}

/// Which tours have a load above the capacity.
torch::Tensor overloaded(const Rows& rows) { return rows.states.features.select(2, 7).gt(0).any(1); }

TEST(MissedExchanges, AreTheBestOfAllExchangesOfTwoEdges) {
  for (const char* problem : {"tsp", "cvrp"}) {
    GroupLearning l(config_for_missed(problem));
    const BatchEnvironment& searches = l.context.environment;
    const EnvironmentOptions& options = searches.options();
    const int nodes = options.nodes();
    BatchEnvironment branches(options.with_batch(options.batch * nodes * nodes)), copy(options);
    int found = 0, none = 0, from_infeasible = 0;
    for (int round = 0; round < 12; ++round) {
      l.learner.roll_out();
      const Rows rows = rows_of(searches);
      const MissedExchanges missed = missed_exchanges(options.kind, rows.states, rows.choices, 1);
      branches.branch_from(searches);
      const torch::Tensor best =
          std::get<0>(improvements(branches, all_choices(options.batch, nodes, rows.states.previous_anchor))
                          .view({options.batch, -1})
                          .max(1));
      EXPECT_LT((missed.gain - best).abs().max().item<float>(), 3e-5f) << problem;
      const torch::Tensor there = missed.gain > 0;
      for (const int way : {0, 1}) {
        const torch::Tensor choices = missed.choices.select(1, way);
        copy.branch_from(searches);
        EXPECT_LT((missed.gain - improvements(copy, choices)).abs().max().item<float>(), 3e-5f) << problem;
        EXPECT_TRUE(choices.eq(rows.choices).all(1).logical_or(there).all().item<bool>());
        const torch::Tensor legal = choices.select(1, 0).ne(rows.states.previous_anchor);
        EXPECT_TRUE(legal.logical_or(there.logical_not()).all().item<bool>());
      }
      found += there.sum().item<int>();
      none += there.logical_not().sum().item<int>();
      if (options.depots > 0) from_infeasible += overloaded(rows).logical_and(there).sum().item<int>();
    }
    EXPECT_GT(found, 10) << problem;
    EXPECT_GT(none, 5) << problem;
    EXPECT_EQ(from_infeasible > 0, options.depots > 0);
  }
}

TEST(MissedExchanges, AreTheSameOnAGpu) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no GPU";
  for (const char* problem : {"tsp", "cvrp"}) {
    GroupLearning l(config_for_missed(problem));
    for (int round = 0; round < 4; ++round) {
      l.learner.roll_out();
      Rows rows = rows_of(l.context.environment);
      const ProblemKind kind = l.context.config.kind();
      const MissedExchanges host = missed_exchanges(kind, rows.states, rows.choices, 1);
      for (torch::Tensor* part :
           {&rows.states.features, &rows.states.previous_anchor, &rows.states.costs, &rows.choices, &rows.log_prob})
        *part = part->to(torch::kCUDA);
      const MissedExchanges device = missed_exchanges(kind, rows.states, rows.choices, 1);
      EXPECT_LT((device.gain.cpu() - host.gain).abs().max().item<float>(), 1e-5f) << problem;
      // Of exchanges that gain the same, rounding decides.
      EXPECT_GT(device.choices.cpu().eq(host.choices).flatten(1).all(1).to(torch::kFloat32).mean().item<float>(), 0.9f)
          << problem;
    }
  }
}

TEST(MissedExchanges, EitherEndIsTheAnchorUnlessItWasTheLastOne) {
  GroupLearning l(config_for_missed("tsp"));
  const Rows rows = rows_of(l.context.environment);
  const torch::Tensor choices = missed_exchanges(ProblemKind::tsp, rows.states, rows.choices, 2).choices;
  EXPECT_TRUE(choices.select(1, 0).select(1, 0).equal(choices.select(1, 1).select(1, 1)));
  EXPECT_TRUE(choices.select(1, 0).select(1, 1).equal(choices.select(1, 1).select(1, 0)));
  Rows after = rows;
  after.states.previous_anchor = choices.select(1, 0).select(1, 0).contiguous();
  const torch::Tensor others = missed_exchanges(ProblemKind::tsp, after.states, after.choices, 2).choices;
  EXPECT_TRUE(others.select(1, 0).equal(choices.select(1, 1)));
  EXPECT_TRUE(others.select(1, 1).equal(choices.select(1, 1)));
}

TEST(MissedExchanges, APolicyLearnsToMakeThem) {
  for (const char* problem : {"tsp", "cvrp"}) {
    GroupLearning l(config_for_missed(problem, "missed_weight=10"));
    l.learner.roll_out();
    EXPECT_GT(l.learner.statistics()->missed.value(), 0) << problem;
    EXPECT_LE(l.learner.statistics()->missed.value(), 1) << problem;
    const auto probability = [&] {  // of the same exchanges each time
      l.learner.begin_batch(0);
      l.learner.learn_minibatch(0, 0);
      return l.learner.statistics()->missed_probability.value();
    };
    const double before = probability();
    for (int update = 0; update < 150; ++update) l.learner.learn_minibatch(update % 3, 0);
    EXPECT_GT(probability(), 2 * before) << problem;
    EXPECT_LE(probability(), 1) << problem;
  }
}

/// The mean worth over evenly spread offsets.
double mean_worth(GroupLearning& l) {
  double sum = 0;
  for (int draw = 0; draw < 300; ++draw) {
    MissedLearner missed = *l.learner.missed();
    missed.choose(l.learner.rollout(), (draw + 0.5) / 300);
    sum += missed.worth().mean().item<double>() / 300;
  }
  return sum;
}

TEST(MissedExchanges, AreWorthTheMeanOfAllGainsInUnitsOfTheAdvantages) {
  GroupLearning l(config_for_missed("tsp", "missed_weight=1"));
  for (int round = 0; round < 3; ++round) l.learner.roll_out();
  const Chunk& rollout = l.learner.rollout();
  const double unit = torch::square(group_advantages(l.learner.returns())).mean().sqrt().item<double>();
  const torch::Tensor gain = missed_exchanges(ProblemKind::tsp, rollout.states, rollout.choices, 1).gain;
  const double all = (gain / unit).clamp_max(l.context.config.advantage_clip).mean().item<double>();
  EXPECT_GT(all, 0.01);
  EXPECT_NEAR(mean_worth(l), all, 0.01 * all);
}

TEST(MissedExchanges, AreWorthTheSameWhateverTheAdvantagesAreMadeOf) {
  TrainConfig config = config_for_missed("tsp", "missed_weight=1");
  GroupLearning plain(config);
  config.edge_credit = 0.5;
  GroupLearning credited(config);
  for (GroupLearning* l : {&plain, &credited}) l->learner.roll_out();
  EXPECT_DOUBLE_EQ(mean_worth(plain), mean_worth(credited));
}

TEST(MissedExchanges, AreWorthNothingWhereNothingWasGained) {
  GroupLearning l(config_for_missed("tsp", "missed_weight=1"));
  l.learner.roll_out();
  EXPECT_GT(mean_worth(l), 0);
  MissedLearner missed = *l.learner.missed();
  missed.find(l.learner.rollout(), torch::zeros_like(l.learner.returns()));
  missed.choose(l.learner.rollout(), 0.5);
  EXPECT_EQ(missed.worth().abs().max().item<float>(), 0);
}

TEST(MissedExchanges, WithoutTheirWeightNothingIsLookedFor) {
  GroupLearning l(config_for_missed("tsp"));
  l.learner.learn();
  EXPECT_FALSE(l.learner.statistics()->missed.has_value());
  EXPECT_EQ(l.learner.last_rows().choices.size(0), 64);
}

TEST(MissedExchanges, AreRefusedWhereTheyMakeNoSense) {
  const auto expect_refusal = [](const std::string& problem, void (*change)(TrainConfig&), const char* reason) {
    TrainConfig config = config_for_missed(problem);
    config.missed_weight = 1;
    change(config);
    try {
      complete_and_validate(config, "test");
      ADD_FAILURE() << reason;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  };
  expect_refusal(
      "vrptw", [](TrainConfig&) {}, "of a vrptw are not looked for");
  expect_refusal(
      "tsp", [](TrainConfig& config) { config.fixed_k = true; }, "fixed_k");
  expect_refusal(
      "cvrp", [](TrainConfig& config) { config.polished_ends = true; }, "polished_ends");
  expect_refusal(
      "tsp", [](TrainConfig& config) { config.missed_weight = 101; }, "expected 0 to 100");
}

}  // namespace
}  // namespace neuopt::train
