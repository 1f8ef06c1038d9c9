// Signal and noise of gradients: made-up ones whose parts are known, and those of a tiny network.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "train/noise_bench.h"
#include "train/run_fixture.h"

namespace neuopt::train {
namespace {

constexpr double kSignal = 0.25, kRollout = 0.5, kRows = 4;
constexpr int kParameters = 40, kMinibatches = 8;

/// Numbers whose squares sum up to `square` over the parameters, on average.
torch::Tensor noise_of(double square, std::vector<std::int64_t> shape) {
  shape.push_back(kParameters);
  return torch::randn(shape, torch::kFloat64) * std::sqrt(square / kParameters);
}

/// spread: the rows of a draw's minibatches make up for each other, as when all of them together are all rows.
NoiseFigures figures_of(int rollouts, bool spread) {
  GradientNoise noise;
  const torch::Tensor signal = torch::full({kParameters}, std::sqrt(kSignal / kParameters), torch::kFloat64);
  for (int rollout = 0; rollout < rollouts; ++rollout) {
    torch::Tensor rows = noise_of(kRows, {2, kMinibatches});
    if (spread) rows = (rows - rows.mean(1, true)) * std::sqrt(kMinibatches / (kMinibatches - 1.0));
    noise.add(signal + noise_of(kRollout, {}) + rows);
  }
  return noise.figures();
}

void expect_near(const Measured& measured, double expected, const std::string& what) {
  EXPECT_NEAR(measured.value, expected, 4 * measured.error + 1e-9) << what;
  EXPECT_LT(measured.error, 0.1) << what;
}

TEST(GradientNoiseTest, FindsThePartsOfMadeUpGradients) {
  torch::manual_seed(1);
  for (const bool spread : {false, true}) {
    const NoiseFigures figures = figures_of(400, spread);
    expect_near(figures.signal, kSignal, "signal");
    expect_near(figures.rollout, kRollout, "rollout");
    ASSERT_EQ(figures.minibatches.size(), 4u);
    for (const MinibatchNoise& part : figures.minibatches) {
      const int k = part.minibatches;
      const double rows = spread ? kRows / k * (kMinibatches - k) / (kMinibatches - 1) : kRows / k;
      const std::string what = std::to_string(k) + (spread ? " spread" : " independent");
      expect_near(part.rows, rows, what);
      expect_near(part.total, rows + kRollout, what);
    }
  }
}

TEST(GradientNoiseTest, ErrorsAreThoseThatAreMade) {
  torch::manual_seed(2);
  constexpr int kTrials = 200;
  double signal = 0, rollout = 0, rows = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const NoiseFigures figures = figures_of(16, false);
    const auto square = [](const Measured& measured, double expected) {
      return std::pow((measured.value - expected) / measured.error, 2) / kTrials;
    };
    signal += square(figures.signal, kSignal);
    rollout += square(figures.rollout, kRollout);
    rows += square(figures.minibatches.front().rows, kRows);
  }
  for (const double deviation : {signal, rollout, rows}) {
    EXPECT_GT(deviation, 0.6);
    EXPECT_LT(deviation, 1.8);
  }
}

TEST(GradientNoiseTest, CountsThatDivideTheMinibatchesAndAllOfThem) {
  GradientNoise noise;
  for (int rollout = 0; rollout < 3; ++rollout) noise.add(torch::ones({2, 12, 5}));
  const NoiseFigures figures = noise.figures();
  std::vector<int> counts;
  for (const MinibatchNoise& part : figures.minibatches) {
    counts.push_back(part.minibatches);
    EXPECT_NEAR(part.total.value, 0, 1e-9);
  }
  EXPECT_EQ(counts, (std::vector<int>{1, 2, 4, 12}));
  EXPECT_NEAR(figures.signal.value, 5, 1e-9);
  EXPECT_NEAR(figures.rollout.value, 0, 1e-9);
}

TEST(GradientNoiseTest, FindsTheAngleBetweenTwoMeans) {
  torch::manual_seed(3);
  torch::Tensor first = torch::zeros({kParameters}, torch::kFloat64), second = first.clone();
  first[0] = 1, second[0] = 1, second[1] = std::sqrt(3.0);  // 60 degrees
  double cosine = 0, along = 0;
  constexpr int kTrials = 100;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Alignment alignment = align(first + noise_of(1, {16}), second + noise_of(2, {20}));
    cosine += std::pow((alignment.cosine.value - 0.5) / alignment.cosine.error, 2) / kTrials;
    along += std::pow((alignment.along.value - 0.5) / alignment.along.error, 2) / kTrials;
    EXPECT_LT(alignment.along.error, 0.2);
  }
  for (const double deviation : {cosine, along}) {
    EXPECT_GT(deviation, 0.6);
    EXPECT_LT(deviation, 1.8);
  }
}

TrainConfig grouped_config() {
  TrainConfig config = tiny_config("cvrp");
  for (const char* setting :
       {"algorithm=groups", "group=4", "horizon=4", "steps=8", "rows=32", "minibatches=4", "first_epoch=1"})
    apply_setting(config, setting);
  return config;
}

TEST(NoiseBenchTest, RefusesWhatHasNoNoiseToMeasure) {
  TrainConfig config = grouped_config();
  config.minibatches = 1;
  EXPECT_THROW(bench_noise(config, {}, {}), InputError);
  EXPECT_THROW(bench_noise(tiny_config(), {}, {}), InputError);
  config = grouped_config();
  config.bootstrap = true;
  EXPECT_THROW(bench_noise(config, {}, {}), InputError);
}

TEST(NoiseBenchTest, WeighsMoreRowsAgainstTheirTime) {
  const NoiseBenchResult result = bench_noise(grouped_config(), {.rollouts = 12, .depth = 3}, {});
  EXPECT_EQ(result.depth, 3);
  ASSERT_EQ(result.figures.minibatches.size(), 3u);
  // Four minibatches have as many rows as a rollout: little noise of rows is left.
  EXPECT_GT(result.figures.minibatches[0].rows.value, 0);
  EXPECT_LT(result.figures.minibatches[2].rows.value, result.figures.minibatches[0].rows.value / 4);
  ASSERT_EQ(result.choices.size(), 7u);
  EXPECT_TRUE(result.choices[2].measured);
  EXPECT_FALSE(result.choices[3].measured);
  EXPECT_EQ(result.choices[6].minibatches, 64);
  for (const MinibatchChoice& choice : result.choices) {
    EXPECT_NEAR(choice.seconds,
                result.warm_up_seconds + result.rollout_seconds + choice.minibatches * result.minibatch_seconds, 1e-9);
    EXPECT_GE(choice.noise_after_second, result.choices[result.best].noise_after_second);
    EXPECT_DOUBLE_EQ(choice.merit, result.figures.signal.value / (choice.noise.value * choice.seconds));
  }
  EXPECT_GT(result.warm_up_seconds, 0);
  EXPECT_GT(result.rollout_seconds, 0);
  EXPECT_GT(result.minibatch_seconds, 0);
}

class NoiseCommandTest : public TrainingRunTest {
 protected:
  std::string output_of(const std::string& arguments) {
    const std::string file = (folder_ / "output").string();
    const std::string command = NEUOPT_PROGRAM " bench noise " + arguments + " >" + file;
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << command;
    return read_file(file);
  }
};

TEST_F(NoiseCommandTest, PrintsAllFigures) {
  const TrainConfig config = grouped_config();
  const std::string model = train(config, in("run"), {}).model, settings = (folder_ / "settings.toml").string();
  write_file(settings, format_train_config(config));
  const std::string arguments = settings + " --model " + model + " --rollouts 3 --set rows=8";
  const std::string text = output_of(arguments);
  for (const char* figure : {"mean gradient", "noise of the rollout", "noise of the rows", "milliseconds", "64 at most",
                             "best", "depth 1", "of 8 rows"})
    EXPECT_NE(text.find(figure), std::string::npos) << figure << " in " << text;
  const nlohmann::json noise = nlohmann::json::parse(output_of(arguments + " --depth 5 --json"))["noise"];
  EXPECT_EQ(noise["depth"], 5);
  EXPECT_EQ(noise["choices"].size(), 7u);
  for (const char* figure : {"signal", "rollout_noise", "row_noise"}) EXPECT_GT(noise[figure]["error"], 0) << figure;
}

TEST_F(NoiseCommandTest, OverwritesNothingThatItReads) {
  const TrainConfig config = grouped_config();
  const std::string model = train(config, in("run"), {}).model, settings = (folder_ / "settings.toml").string();
  write_file(settings, format_train_config(config));
  const std::string before = read_file(model);
  for (const auto& [save, code] :
       {std::pair(model, 2), std::pair(settings, 2), std::pair(std::string("/nowhere/x"), 3)}) {
    const std::string command = NEUOPT_PROGRAM " bench noise " + settings + " --model " + model +
                                " --rollouts 1000 --save " + save + " >/dev/null 2>&1";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), code) << save;
  }
  EXPECT_EQ(read_file(model), before);
  EXPECT_EQ(read_file(settings), format_train_config(config));
}

TEST_F(NoiseCommandTest, ComparesWithGradientsOfOtherSettings) {
  const TrainConfig config = grouped_config();
  const std::string model = train(config, in("run"), {}).model, settings = (folder_ / "settings.toml").string();
  const std::string gradients = (folder_ / "gradients").string();
  write_file(settings, format_train_config(config));
  const std::string arguments = settings + " --model " + model + " --rollouts 6 --json";
  output_of(arguments + " --set horizon=8 --set lookahead=4 --save " + gradients);
  const nlohmann::json noise = nlohmann::json::parse(output_of(arguments + " --toward " + gradients))["noise"];
  EXPECT_TRUE(noise["toward"].contains("cosine"));
  EXPECT_TRUE(noise["toward"].contains("signal_to_noise_after_second"));
  const std::string other =
      settings + " --rollouts 6 --toward " + gradients + " >/dev/null 2>" + (folder_ / "errors").string();
  EXPECT_EQ(WEXITSTATUS(std::system((NEUOPT_PROGRAM " bench noise " + other).c_str())), 2);
  EXPECT_NE(read_file((folder_ / "errors").string()).find("gradients of another model"), std::string::npos);
}

}  // namespace
}  // namespace neuopt::train
