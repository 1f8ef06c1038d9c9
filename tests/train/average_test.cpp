// Group rollouts and averaged weights in whole runs: learning, checkpoints, warm starts.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "policy/model.h"
#include "train/checkpoint.h"
#include "train/learning_state.h"
#include "train/run_fixture.h"

namespace neuopt::train {
namespace {

/// Settings of a tiny run that keeps an average; groups: with group rollouts.
TrainConfig averaging_config(const std::string& problem, bool groups) {
  TrainConfig config = tiny_config(problem);
  config.average = 3;
  if (groups) {
    for (const char* setting : {"algorithm=groups", "group=3", "horizon=2", "rows=16", "minibatches=2"})
      apply_setting(config, setting);
  }
  complete_and_validate(config, "test");
  return config;
}

NamedTensors weights_in(const fs::path& file) { return policy::load_model(file.string()).weights.tensors(""); }

std::string text_of(const fs::path& file) { return read_file(file.string()); }

TEST(WeightAverageTest, MeanOfAllUntilTheSpanIsFullThenExponential) {
  TrainConfig config = tiny_config();
  config.average = 4;
  LearningState state(config, torch::kCPU);
  torch::manual_seed(3);
  torch::Tensor weights = state.parameters.actor().of(state.parameters.flat());
  torch::Tensor expected = weights.detach().clone().to(torch::kFloat64);
  for (int rollout = 1; rollout <= 9; ++rollout) {
    {
      const torch::NoGradGuard no_grad;
      state.parameters.flat().add_(torch::randn_like(state.parameters.flat()));
    }
    const double share = rollout < 4 ? 1.0 / (rollout + 1) : 0.25;
    expected = (1 - share) * expected + share * weights.detach().to(torch::kFloat64);
    state.average.take();
    EXPECT_LT((state.average.weights - expected).abs().max().item<double>(), 1e-5) << rollout;
  }
  state.average.restart();
  EXPECT_TRUE(state.average.weights.equal(weights));
}

class CreditTest : public TrainingRunTest, public testing::WithParamInterface<const char*> {};

TEST_P(CreditTest, GroupRolloutsLearnToShortenTours) {
  TrainConfig config = tiny_config();
  std::istringstream settings(GetParam());
  for (std::string setting; settings >> setting;) apply_setting(config, setting);
  for (const char* setting : {"algorithm=groups", "batch=16", "group=8", "horizon=5", "steps=20", "rows=128",
                              "minibatches=4", "inner_epochs=1", "epochs=1", "batches_per_epoch=6", "actor_rate=0.003",
                              "rate_decay=1", "average=10", "validation_count=64", "validation_steps=20"})
    apply_setting(config, setting);
  ValidationReport first, last;
  RunObserver observer;
  observer.validation = [&](const ValidationReport& report) { (report.batch == 0 ? first : last) = report; };
  const RunResult result = train(config, in("run"), observer);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(last.batch, 6);
  EXPECT_EQ(first.average.at(0).mean_cost, first.points.at(0).mean_cost);
  EXPECT_LT(last.points.at(0).mean_cost, 0.97 * first.points.at(0).mean_cost);
  EXPECT_LT(last.average.at(0).mean_cost, 0.97 * first.points.at(0).mean_cost);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, CreditTest,
    testing::Values("edge_credit=0", "axes_interval=5", "edge_credit=0.5", "edge_credit=1", "bootstrap=true gamma=0.9",
                    "bootstrap=true gamma=0.9 bootstrap_interval=2 lookahead=2 edge_credit=0.5 group_scale=true"));

TEST_F(TrainingRunTest, ResumedRunWithAnAverageEndsBitForBitLikeAnUninterruptedOne) {
  for (const char* problem : {"tsp", "cvrp", "vrptw"})
    for (const char* kind : {"ppo", "groups", "bootstrap", "polish", "axes"}) {
      TrainConfig config = averaging_config(problem, kind != std::string("ppo"));
      config.final_rate = 0.1;
      config.bootstrap = kind == std::string("bootstrap");
      config.bootstrap_interval = config.bootstrap ? 1 : 0;
      config.polished_ends = kind == std::string("polish");
      config.axes_interval = kind == std::string("axes") ? 3 : 0;
      const std::string name = std::string(problem) + "_" + kind;
      train(config, in(name), {});
      EXPECT_FALSE(run_batches(config, in(name + "_parts"), 2).finished);
      EXPECT_NE(newest_state(name + "_parts"), newest_state(name));
      EXPECT_TRUE(train(config, in(name + "_parts", true), {}).finished);
      EXPECT_EQ(newest_state(name + "_parts"), newest_state(name));
      EXPECT_EQ(weights_in(folder_ / (name + "_parts") / "average.safetensors"),
                weights_in(folder_ / name / "average.safetensors"));
      const NamedTensors state = newest_state(name);
      EXPECT_EQ(state.contains("critic.value_head.project_graph.weight"), kind == std::string("ppo"));
      EXPECT_EQ(state.contains("excess_critic.value_head.project_graph.weight"), config.bootstrap);
    }
}

TEST_F(TrainingRunTest, AverageIsWrittenAndValidatedBesideTheWeights) {
  TrainConfig config = averaging_config("cvrp", true);
  config.actor_rate = 0.01;
  config.init = (folder_ / "start" / "model.safetensors").string();
  train(averaging_config("cvrp", false), in("start"), {});
  const RunResult result = train(config, in("run"), {});
  EXPECT_EQ(result.model, (folder_ / "run" / "average.safetensors").string());
  EXPECT_NE(weights_in(folder_ / "run" / "average.safetensors"), weights_in(folder_ / "run" / "model.safetensors"));
  const auto provenance = policy::load_model(result.model).provenance;
  EXPECT_EQ(provenance.at("weights"), "average over 3 rollouts");
  EXPECT_NE(provenance.at("validation").find("after batch 4"), std::string::npos);
  for (const char* file : {"average.safetensors", "model.safetensors"})  // no folder of this machine
    EXPECT_EQ(text_of(folder_ / "run" / file).find(folder_.string()), std::string::npos) << file;
  const std::string log = text_of(folder_ / "run" / "log.jsonl");
  EXPECT_NE(log.find("\"cost_3_average\""), std::string::npos);
  EXPECT_NE(log.find("\"improved_groups\""), std::string::npos);
  EXPECT_EQ(log.find("value_loss"), std::string::npos);
}

TEST_F(TrainingRunTest, WarmStartTakesTheAverageOfARunWithItsOptimiser) {
  const TrainConfig config = averaging_config("tsp", true);
  train(config, in("first"), {});
  const NamedTensors first = newest_state("first");
  TrainConfig next = config;
  next.init = (folder_ / "first").string();
  next.actor_rate = 0;
  for (const bool average : {false, true}) {
    const std::string name = average ? "average" : "weights";
    next.init_average = average;
    train(next, in(name), {});
    EXPECT_EQ(weights_in(folder_ / name / "model.safetensors"),
              weights_in(folder_ / "first" / (average ? "average.safetensors" : "model.safetensors")));
    EXPECT_EQ(newest_state(name).at("optimizer.steps").to_double().at(0),
              2 * first.at("optimizer.steps").to_double().at(0));
  }
  next.init = (folder_ / "first" / "model.safetensors").string();
  EXPECT_THROW(train(next, in("model"), {}), InputError);
  train(tiny_config(), in("none"), {});
  next.init = (folder_ / "none").string();
  EXPECT_THROW(train(next, in("missing"), {}), InputError);
}

TEST_F(TrainingRunTest, RunsOfOneAlgorithmStartThoseOfTheOther) {
  for (const bool groups : {false, true}) {
    const std::string name = groups ? "groups" : "ppo";
    train(averaging_config("cvrp", groups), in(name), {});
    TrainConfig other = averaging_config("cvrp", !groups);
    other.init = (folder_ / name).string();
    other.actor_rate = other.critic_rate = 0;
    EXPECT_TRUE(train(other, in(name + "_other"), {}).finished);
    EXPECT_EQ(weights_in(folder_ / (name + "_other") / "model.safetensors"),
              weights_in(folder_ / name / "model.safetensors"));
  }
}

TEST_F(TrainingRunTest, ANewCriticHasNoPast) {
  TrainConfig ppo = averaging_config("cvrp", false), groups = averaging_config("cvrp", true);
  groups.bootstrap = true;
  const std::string path = (folder_ / "checkpoint.safetensors").string();
  LearningState before(ppo, torch::kCPU), same(ppo, torch::kCPU), other(groups, torch::kCPU);
  for (torch::Tensor* state : {&before.adam.first_moment, &before.adam.second_moment, &before.adam.steps,
                               &before.adam.critic_steps, &other.adam.second_moment})
    state->fill_(5);
  save_checkpoint(path, ppo, before, {});
  load_checkpoint(path, same);
  EXPECT_EQ(same.adam.critic_steps.item<double>(), 5);
  EXPECT_TRUE(same.adam.second_moment.equal(before.adam.second_moment));
  load_checkpoint(path, other);
  EXPECT_EQ(other.adam.steps.item<double>(), 5);
  EXPECT_EQ(other.adam.critic_steps.item<double>(), 0);
  EXPECT_TRUE(other.parameters.actor().of(other.adam.second_moment).eq(5).all().item<bool>());
  EXPECT_TRUE(other.parameters.critic().of(other.adam.second_moment).eq(0).all().item<bool>());
}

TEST_F(TrainingRunTest, ACriticIsNotTakenForOneOfAnotherKind) {
  const std::string layer = "critic.value_head.project_graph.weight";
  TrainConfig ppo = averaging_config("cvrp", false), groups = averaging_config("cvrp", true);
  groups.bootstrap = true;
  train(ppo, in("ppo"), {});
  const auto went_on = [&](TrainConfig config, const std::string& from, const std::string& to) {
    config.init = (folder_ / from).string();
    config.actor_rate = config.critic_rate = 0;
    train(config, in(to), {});
    return newest_state(to);
  };
  EXPECT_EQ(went_on(ppo, "ppo", "ppo2").at(layer), newest_state("ppo").at(layer));
  const NamedTensors other = went_on(groups, "ppo", "groups");
  EXPECT_NE(other.at("excess_" + layer), newest_state("ppo").at(layer));
  EXPECT_GT(other.at("value_unit").to_double().at(0), 0);
  ppo.seed = groups.seed = 77;  // which draws another critic where none is taken over
  EXPECT_EQ(went_on(groups, "groups", "groups2").at("value_unit"), other.at("value_unit"));
  EXPECT_EQ(newest_state("groups2").at("excess_" + layer), other.at("excess_" + layer));
  EXPECT_NE(went_on(ppo, "groups", "ppo3").at(layer), other.at("excess_" + layer));
}

TEST_F(TrainingRunTest, RunWithoutAnAverageMayContinueWithOne) {
  TrainConfig config = tiny_config();
  run_batches(config, in("run"), 2);
  EXPECT_FALSE(newest_state("run").contains("average.embedder.feature_embed.weight"));
  const NamedTensors before = weights_in(folder_ / "run" / "model.safetensors");
  config.average = 1000000;
  config.actor_rate = config.critic_rate = 0;
  EXPECT_TRUE(train(config, in("run", true), {}).finished);
  const NamedTensors after = weights_in(folder_ / "run" / "average.safetensors");
  for (const auto& [name, tensor] : before) {
    const std::vector<double> old_values = tensor.to_double(), values = after.at(name).to_double();
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], old_values[i], 1e-6) << name;
  }
}

TEST_F(TrainingRunTest, RatesFallToTheFinalShareByBatchesOrTime) {
  TrainConfig config = averaging_config("tsp", true);
  config.rate_decay = 1;
  config.final_rate = 0.01;
  std::vector<double> rates;
  RunObserver observer;
  observer.batch = [&](const BatchReport& report) { rates.push_back(report.actor_rate / config.actor_rate); };
  train(config, in("batches"), observer);
  ASSERT_EQ(rates.size(), 4u);
  for (int batch = 0; batch < 4; ++batch) EXPECT_NEAR(rates[batch], 1 - 0.99 * batch / 4, 1e-12);
  rates.clear();
  config.epochs = 100000;
  config.checkpoint_interval = 100000;
  RunOptions options = in("time");
  options.minutes = 4.0 / 60;
  train(config, options, observer);
  ASSERT_GE(rates.size(), 2u);
  EXPECT_LT(rates.back(), 0.2 * rates.front());  // by batches it would be nearly the same
}

TEST_F(TrainingRunTest, TimeOfARunCountsOnWhenItIsResumed) {
  TrainConfig config = averaging_config("tsp", true);
  config.rate_decay = 1;
  config.final_rate = 0.01;
  config.epochs = 100000;
  config.checkpoint_interval = 1;
  std::vector<double> rates;
  int stop_after = 3;
  RunObserver observer;
  observer.batch = [&](const BatchReport& report) { rates.push_back(report.actor_rate); };
  RunOptions options = in("run");
  options.total_minutes = 6.0 / 60;
  options.seconds_spent = 2;  // as by a slow start
  options.stop_requested = [&] { return static_cast<int>(rates.size()) >= stop_after; };
  train(config, options, observer);
  ASSERT_EQ(rates.size(), 3u);
  options.resume = true;
  options.seconds_spent = 0;
  stop_after = 1 << 30;
  train(config, options, observer);
  ASSERT_GT(rates.size(), 3u);
  for (std::size_t i = 1; i < rates.size(); ++i) EXPECT_LE(rates[i], rates[i - 1]) << i;
  const std::size_t batches = rates.size();
  train(config, options, observer);
  EXPECT_EQ(rates.size(), batches) << "its time is over";
}

TEST_F(TrainingRunTest, ValidationsThatMeasureSomethingElseDoNotCompare) {
  TrainConfig config = averaging_config("tsp", false);
  config.epochs = 1;
  config.batches_per_epoch = 1;
  config.validation_steps = {50};
  train(config, in("run"), {});
  config.batches_per_epoch = 2;
  config.validation_steps = {2};  // whose costs are higher
  train(config, in("run", true), {});
  const policy::Model best = policy::load_model((folder_ / "run" / "best.safetensors").string());
  EXPECT_EQ(best.provenance.at("batches"), "2");
}

}  // namespace
}  // namespace neuopt::train
