#include <gtest/gtest.h>

#include "cli/run_program.h"
#include "core/file.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using ::neuopt::testing::run_program;
using ::neuopt::testing::TemporaryFolder;

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

}  // namespace
}  // namespace neuopt
