#include <gtest/gtest.h>

#include "cli/run_program.h"
#include "core/file.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::run_program;
using test::TemporaryFolder;

TEST(Draw, WritesAPicture) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("generate cvrp --size 30 --output " + (folder / "x.vrp")).code, 0);
  ASSERT_EQ(run_program("start " + (folder / "x.vrp") + " --output " + (folder / "x.sol")).code, 0);
  const auto outcome =
      run_program("draw " + (folder / "x.vrp") + " " + (folder / "x.sol") + " --output " + (folder / "x.svg"));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(read_file(folder / "x.svg").starts_with("<svg ")) << read_file(folder / "x.svg");
  ASSERT_EQ(run_program("draw " + (folder / "x.vrp") + " --output " + (folder / "bare.svg")).code, 0);
  EXPECT_LT(read_file(folder / "bare.svg").size(), read_file(folder / "x.svg").size());
}

TEST(Draw, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("generate cvrp --size 20 --output " + (folder / "x.vrp")).code, 0);
  write_file(folder / "x.sol",
             "Route #1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\nRoute #2: 17\nRoute #3: 18 19\nCost 1\n");
  const auto outcome =
      run_program("draw " + (folder / "x.vrp") + " " + (folder / "x.sol") + " --output " + (folder / "x.svg"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.errors.find("not feasible"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("customer 20 missing"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("route 1 over capacity"), std::string::npos) << outcome.errors;
  EXPECT_NE(read_file(folder / "x.svg").find("not feasible"), std::string::npos);
}

TEST(Draw, AnOverloadIsSaidBeforeManyMissing) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("generate cvrp --size 60 --output " + (folder / "x.vrp")).code, 0);
  write_file(folder / "x.sol", "Route #1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\nCost 1\n");
  for (const std::string& command : {std::string("verify "), "draw --output " + (folder / "x.svg") + " "}) {
    const auto outcome = run_program(command + (folder / "x.vrp") + " " + (folder / "x.sol"));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE((outcome.output + outcome.errors).find("route 1 over capacity"), std::string::npos) << outcome.errors;
  }
}

TEST(Draw, ASetIsNoInstance) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("generate cvrp --size 20 --count 2 --output " + (folder / "x.npz")).code, 0);
  const std::string output = " --output " + (folder / "x.svg");
  for (const std::string& command : {"draw " + (folder / "x.npz") + output, "start " + (folder / "x.npz") + output,
                                     "verify " + (folder / "x.npz") + " x.sol"}) {
    const auto outcome = run_program(command);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.errors.find("x.npz: a set of instances, expected one"), std::string::npos) << outcome.errors;
    EXPECT_EQ(outcome.errors.find("keyword"), std::string::npos) << outcome.errors;
  }
}

}  // namespace
}  // namespace neuopt
