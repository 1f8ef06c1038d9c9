// scripts/train_legs.sh with a plan of tiny legs.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <regex>

#include "core/file.h"
#include "train/run_fixture.h"

namespace neuopt::train {
namespace {

class TrainLegsTest : public TrainingRunTest {
 protected:
  /// Returns the script's exit code.
  int run_plan(const std::string& plan, const std::string& more = "") {
    write_file((folder_ / "plan").string(), plan);
    const std::string script = std::string(NEUOPT_TEST_DATA) + "/../../scripts/train_legs.sh";
    const std::string command = script + " " + (folder_ / "plan").string() + " " + (folder_ / "legs").string() +
                                " --program " NEUOPT_PROGRAM " --datasets " + (folder_ / "sets").string() +
                                " --steps 3 --instances 2" + more;
    return WEXITSTATUS(std::system(command.c_str()));
  }

  std::string text(const std::string& file) const { return read_file((folder_ / "legs" / file).string()); }
};

TEST_F(TrainLegsTest, LegsOfANameContinueEachOtherAndAreDoneOnce) {
  TrainConfig config = tiny_config();
  config.batches_per_epoch = 1;
  config.average = 5;
  write_file((folder_ / "settings.toml").string(), format_train_config(config));
  const std::string first = "all minutes=1 config=" + (folder_ / "settings.toml").string() +
                            "\nsmall init=random actor_rate=0.001  # a comment\n";
  ASSERT_EQ(run_plan(first), 0);
  EXPECT_EQ(text("status"), "01-small: " + text("01-small/result.txt") + "done\n");
  EXPECT_TRUE(text("01-small/result.txt").starts_with("start -, end -, 0.0 min"));
  const std::string log = text("01-small/log.jsonl");

  EXPECT_EQ(run_plan(first + "small actor_rate=0.002\nother init=nowhere.safetensors\n"), 3);
  EXPECT_EQ(text("01-small/log.jsonl"), log);
  const TrainConfig second = read_train_config((folder_ / "legs/02-small/config.toml").string());
  EXPECT_EQ(second.init, (folder_ / "legs/01-small").string());
  EXPECT_TRUE(second.init_average);
  EXPECT_EQ(second.actor_rate, 0.002);
  EXPECT_NE(text("status").find("03-other: failed: neuopt: nowhere.safetensors"), std::string::npos);
  EXPECT_EQ(RunFolder((folder_ / "legs/02-small").string()).checkpoints().size(), 1u);
}

TEST_F(TrainLegsTest, LegWaitsForTheOneBeforeItAndSetsNeedNoKnownCosts) {
  TrainConfig config = tiny_config();
  config.batches_per_epoch = 1;
  write_file((folder_ / "settings.toml").string(), format_train_config(config));
  fs::create_directories(folder_ / "sets");
  ASSERT_EQ(
      std::system((NEUOPT_PROGRAM " generate tsp --size 8 --count 3 --output " + (folder_ / "sets/small.npz").string())
                      .c_str()),
      0);
  const std::string all = "all minutes=1 config=" + (folder_ / "settings.toml").string() + "\n";
  EXPECT_EQ(run_plan(all + "small init=random sise=3\nsmall\n"), 3);
  EXPECT_NE(text("status").find("02-small: waits for 01-small"), std::string::npos) << text("status");
  EXPECT_FALSE(fs::exists(folder_ / "legs/02-small/config.toml"));
  ASSERT_EQ(run_plan(all + "small init=random\nsmall\n"), 0) << text("status");
  EXPECT_EQ(read_train_config((folder_ / "legs/02-small/config.toml").string()).init,
            (folder_ / "legs/01-small").string());
  EXPECT_EQ(text("02-small/result.txt").find("failed"), std::string::npos) << text("02-small/result.txt");
}

TEST_F(TrainLegsTest, ModelsAreComparedOnGeneratedInstances) {
  TrainConfig config = tiny_config();
  config.batches_per_epoch = 1;
  write_file((folder_ / "settings.toml").string(), format_train_config(config));
  const std::string all = "all minutes=1 config=" + (folder_ / "settings.toml").string() + "\n";
  ASSERT_EQ(run_plan(all + "small init=random\nsmall\n", " --generated 3"), 0);
  const std::regex first("start -, end -, cost - -> ([0-9.]+), 0.0 min\n");
  const std::regex second("start -, end -, cost ([0-9.]+) -> ([0-9.]+), 0.0 min\n");
  const std::string results[] = {text("01-small/result.txt"), text("02-small/result.txt")};
  std::smatch one, two;
  ASSERT_TRUE(std::regex_match(results[0], one, first)) << results[0];
  ASSERT_TRUE(std::regex_match(results[1], two, second)) << results[1];
  EXPECT_EQ(one[1], two[1]) << "the second begins with the model of the first";
}

TEST_F(TrainLegsTest, BetterOneOfAverageAndWeightsIsTheEnd) {
  TrainConfig config = tiny_config();
  config.batches_per_epoch = 1;
  config.average = 50;
  config.size = 20;  // small ones would be solved exactly
  write_file((folder_ / "settings.toml").string(), format_train_config(config));
  const std::string all = "all minutes=1 config=" + (folder_ / "settings.toml").string() + "\n";
  ASSERT_EQ(run_plan(all + "small init=random seed=5 actor_rate=0.05\nsmall\n", " --generated 50"), 0);
  const std::regex pattern("start -, end -, cost (-|[0-9.]+) -> ([0-9.]+) averaged, ([0-9.]+) not, 0.0 min\n");
  const std::string results[] = {text("01-small/result.txt"), text("02-small/result.txt")};
  std::smatch one, two;
  ASSERT_TRUE(std::regex_match(results[0], one, pattern)) << results[0];
  ASSERT_TRUE(std::regex_match(results[1], two, pattern)) << results[1];
  const bool averaged = std::stod(one[2]) <= std::stod(one[3]);
  EXPECT_EQ(text("01-small/end.txt"), averaged ? "average.safetensors\n" : "model.safetensors\n");
  EXPECT_EQ(two[1], averaged ? one[2] : one[3]);
  EXPECT_EQ(read_train_config((folder_ / "legs/02-small/config.toml").string()).init_average, averaged);

  std::filesystem::remove(folder_ / "legs/02-small/end.txt");  // not compared: it ends with its average
  ASSERT_EQ(run_plan(all + "small\nsmall\nsmall\n"), 0);
  EXPECT_TRUE(read_train_config((folder_ / "legs/03-small/config.toml").string()).init_average);
}

TEST_F(TrainLegsTest, LegThatWasStoppedGoesOn) {
  TrainConfig config = tiny_config();
  config.batches_per_epoch = 1;
  run_batches(config, in("legs/01-small"), 1);  // as a call that was killed leaves it
  EXPECT_EQ(run_plan("small minutes=1\n"), 0);
  EXPECT_NE(text("01-small/output.txt").find("after batch 1"), std::string::npos);
  EXPECT_NE(text("01-small/output.txt").find("finished after 2 batches"), std::string::npos);
  const std::string log = text("01-small/log.jsonl");
  EXPECT_EQ(run_plan("small\n"), 0);  // done already
  std::filesystem::remove(folder_ / "legs/01-small/result.txt");
  EXPECT_EQ(run_plan("small minutes=1\n"), 0);  // it was stopped before it was measured
  EXPECT_EQ(text("01-small/log.jsonl"), log);
  EXPECT_EQ(run_plan("small\n", " --generated many"), 2);
  EXPECT_EQ(run_plan("small\n", " --steps x"), 2);
  EXPECT_EQ(run_plan("small\n", " --instances -3"), 2);
  EXPECT_EQ(run_plan("small minutes=1\nsmall\n"), 3);
  EXPECT_NE(text("status").find("02-small: failed: no minutes"), std::string::npos);
}

TEST_F(TrainLegsTest, LegThatHasBegunKeepsItsSettingsAndSaysSo) {
  TrainConfig config = tiny_config();
  config.batches_per_epoch = 1;
  write_file((folder_ / "settings.toml").string(), format_train_config(config));
  const std::string all = "all minutes=1 config=" + (folder_ / "settings.toml").string();
  const auto said = [&](const std::string& plan) {
    std::filesystem::remove(folder_ / "legs/01-small/result.txt");  // as where it was stopped before it was measured
    EXPECT_EQ(run_plan(plan, " 2>" + (folder_ / "said").string()), 0);
    return read_file((folder_ / "said").string());
  };
  EXPECT_EQ(said(all + "\nsmall init=random actor_rate=0.001\n"), "");
  EXPECT_EQ(said(all + " actor_rate=0.001\nsmall minutes=2 init=random\n"), "");  // the same, but for the minutes
  EXPECT_EQ(said(all + " actor_rate=0.001 group=4\nsmall init=random actor_rate=0.002\n"),
            "train_legs: 01-small goes on as it began, without the plan's changes: "
            "-actor_rate=0.001 +actor_rate=0.002 +group=4\n");
  EXPECT_EQ(read_train_config((folder_ / "legs/01-small/config.toml").string()).actor_rate, 0.001);
}

}  // namespace
}  // namespace neuopt::train
