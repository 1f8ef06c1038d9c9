// What holds for every subcommand: usage, help, exit codes.
#include <gtest/gtest.h>

#include "cli/run_program.h"

namespace neuopt {
namespace {

using ::neuopt::testing::run_program;

TEST(Program, TellsItsVersion) {
  const auto outcome = run_program("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.output.starts_with("neuopt ")) << outcome.output;
  EXPECT_EQ(outcome.errors, "");
}

TEST(Program, Helps) {
  for (const char* arguments : {"--help", "generate --help", "start --help", "verify --help", "draw --help"}) {
    const auto outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments;
    EXPECT_NE(outcome.output.find("Usage: neuopt"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.errors, "");
  }
}

TEST(Program, BadUsageIsExitCode2) {
  for (const char* arguments : {"", "frobnicate", "generate", "generate tsp", "generate tsp --size x --output y",
                                "generate tsp --size 0 --output y", "generate vrptw --size 5 --output y", "verify",
                                "verify one", "verify one two three", "draw one", "--frobnicate"}) {
    const auto outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.output, "") << arguments;
    EXPECT_TRUE(outcome.errors.starts_with("neuopt: ")) << arguments << ": " << outcome.errors;
  }
}

TEST(Program, NamesAMissingFile) {
  const auto outcome = run_program("verify no-such-file.vrp no-such-file.sol");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.errors.find("no-such-file.vrp: cannot open"), std::string::npos) << outcome.errors;
}

TEST(Program, UnwritableOutputIsExitCode3) {
  const auto outcome = run_program("generate tsp --size 5 --output no-such-folder/x.npz");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.errors.find("no-such-folder/x.npz: cannot write"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace neuopt
