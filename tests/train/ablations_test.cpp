// scripts/ablations.sh with tiny networks and searches.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "core/file.h"
#include "policy/model.h"
#include "support/temporary_folder.h"

namespace neuopt::train {
namespace {

class AblationsTest : public ::testing::Test {
 protected:
  /// Returns the script's exit code; what it said is in "said".
  int run(const std::string& options) {
    const std::string command = std::string(NEUOPT_TEST_DATA) + "/../../scripts/ablations.sh --smoke --program " +
                                NEUOPT_PROGRAM + " --work " + (folder_ / "work") + " " + options + " 2>" +
                                (folder_ / "said");
    return WEXITSTATUS(std::system(command.c_str()));
  }
  std::string text(const std::string& file) const { return read_file(folder_ / file); }

  test::TemporaryFolder folder_;
};

TEST_F(AblationsTest, TrainsMeasuresAndWritesThePageOnce) {
  const std::string rows = "--jobs 2 --only 'cvrp20-masking|cvrp100-d2a-off'";
  ASSERT_EQ(run(rows), 0) << text("said");
  const policy::Model model = policy::load_model(folder_ / "work/cvrp20-masking-b2-s2/run/model.safetensors");
  EXPECT_TRUE(model.architecture.masking);
  EXPECT_EQ(model.architecture.max_moves, 2);
  EXPECT_FALSE(model.architecture.exploration_features);
  const std::string page = text("work/page.md"), row = "| masking, K = 2 | 2 | 2 | ";
  ASSERT_NE(page.find(row), std::string::npos) << page;
  const std::string cells = page.substr(page.find(row), 200);
  EXPECT_NE(cells.find("| 100 % |"), std::string::npos) << cells;  // all feasible
  EXPECT_NE(page.find("| no augmentation | 2 | "), std::string::npos) << page;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "work/images/ablations-masking.svg"));

  const std::string result = text("work/results/cvrp20-masking-s1.json");
  ASSERT_EQ(run(rows), 0) << text("said");
  EXPECT_TRUE(text("said").starts_with("ablations: 0 rows to make")) << text("said");
  EXPECT_EQ(text("work/results/cvrp20-masking-s1.json"), result);
  EXPECT_EQ(text("work/page.md"), page);
}

TEST_F(AblationsTest, SaysWhatItWouldDoAndRefusesWhatItDoesNotKnow) {
  ASSERT_EQ(run("--dry-run --parts gire >" + (folder_ / "list")), 0);
  EXPECT_NE(text("list").find("train cvrp20-vi-es seed 2: regulation_reward=false bonus_reward=false\n"),
            std::string::npos);
  EXPECT_EQ(text("list").find("tsp50"), std::string::npos);
  EXPECT_EQ(run("--parts wheels"), 2);
  EXPECT_EQ(run("--batches none"), 2);
}

}  // namespace
}  // namespace neuopt::train
