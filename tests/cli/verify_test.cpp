#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_program.h"
#include "core/file.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace neuopt {
namespace {

using test::has;
using test::run_program;
using test::TemporaryFolder;

constexpr const char* kInstance = R"(NAME : corner
TYPE : CVRP
DIMENSION : 5
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
NODE_COORD_SECTION
1 0 0
2 3 4
3 6 8
4 0 5
5 0 5
DEMAND_SECTION
1 0
2 5
3 5
4 6
5 4
DEPOT_SECTION
1
-1
EOF
)";

/// A folder with the instance and one solution.
struct VerifyFiles {
  explicit VerifyFiles(const std::string& solution) {
    write_file(folder / "corner.vrp", kInstance);
    write_file(folder / "corner.sol", solution);
  }
  std::string names() const { return (folder / "corner.vrp") + " " + (folder / "corner.sol"); }
  TemporaryFolder folder;
};

TEST(VerifyCommand, AcceptsAFeasibleSolution) {
  const VerifyFiles files("Route #1: 1 2\nRoute #2: 3 4\nCost 30\n");
  const auto outcome = run_program("verify " + files.names() + " --reference 25");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(has(outcome.output, "total demand 20, at least 2 vehicles")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "1 node at the place of another")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "feasible, cost 30, 2 routes")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "states 30\n")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "gap +20.0000 % to the known cost 25")) << outcome.output;
}

TEST(VerifyCommand, KnowsEveryDigitOfWholeCosts) {
  const TemporaryFolder folder;
  write_file(folder / "wide.tsp",
             "NAME : wide\nTYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n"
             "1 0 0\n2 10000000 0\n3 20000000 0\nEOF\n");
  const auto stating = [&](const std::string& cost) {
    write_file(folder / "wide.tour",
               "COMMENT : Length = " + cost + "\nTYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n1\n2\n3\n-1\nEOF\n");
    return run_program("verify " + (folder / "wide.tsp") + " " + (folder / "wide.tour")).output;
  };
  EXPECT_TRUE(has(stating("40000000"), "states 40000000\n")) << stating("40000000");
  EXPECT_TRUE(has(stating("40000001"), "which is not its cost")) << stating("40000001");
}

TEST(VerifyCommand, SaysNoWithExitCode1) {
  const VerifyFiles files("Route #1: 1 2 4\nRoute #2: 4\nCost 29\n");
  const auto outcome = run_program("verify " + files.names());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.output, "NOT FEASIBLE")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "customer 3 missing")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "customer 4 visited twice (routes 1 and 2)")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "route 1 over capacity by 4 (14 of 10)")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "states 29, which is not its cost")) << outcome.output;
}

TEST(VerifyCommand, PrintsOneJsonObject) {
  const VerifyFiles files("Route #1: 1 2\nRoute #2: 3 4\nCost 30\n");
  const auto outcome = run_program("verify --json " + files.names() + " --reference 30");
  EXPECT_EQ(outcome.code, 0);
  const auto object = nlohmann::json::parse(outcome.output);  // throws when anything else is on standard output
  EXPECT_EQ(object.at("problem"), "cvrp");
  EXPECT_EQ(object.at("feasible"), true);
  EXPECT_EQ(object.at("cost"), 30);
  EXPECT_EQ(object.at("stated_cost"), 30);
  EXPECT_EQ(object.at("gap_percent"), 0);
  EXPECT_EQ(object.at("routes"), 2);
  EXPECT_EQ(object.at("loads"), (nlohmann::json{10, 10}));
  EXPECT_EQ(object.at("instance").at("vehicles_bound"), 2);
  EXPECT_EQ(object.at("findings").size(), 0u);
}

TEST(VerifyCommand, NamesTheLineOfABadFile) {
  const VerifyFiles files("Route #1: 1 two\n");
  const auto outcome = run_program("verify " + files.names());
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_TRUE(has(outcome.errors, "corner.sol:1: ")) << outcome.errors;
}

TEST(VerifyCommand, AcceptsEveryStartOfTheProgram) {
  const TemporaryFolder folder;
  for (const std::string problem : {"tsp", "cvrp"})
    for (const std::string method : {"auto", "random", "greedy", "curve"}) {
      const std::string file = folder / (problem == "tsp" ? "x.tsp" : "x.vrp");
      const std::string solution = folder / "x.solution";
      ASSERT_EQ(run_program("generate " + problem + " --size 40 --output " + file).code, 0);
      const auto start = run_program("start " + file + " --method " + method + " --output " + solution);
      ASSERT_EQ(start.code, 0) << start.errors;
      const auto outcome = run_program("verify " + file + " " + solution + " --json");
      EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
      EXPECT_EQ(outcome.errors, "");
      const auto object = nlohmann::json::parse(outcome.output);
      EXPECT_NEAR(object.at("cost"), object.at("stated_cost"), 1e-6);
    }
}

TEST(VerifyCommand, AgreesWithTheKnownSolutionsOfTheLibraries) {
  const std::filesystem::path library = std::filesystem::path(NEUOPT_SHARED) / "instances" / "cvrplib";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "no library instances at " << library;
  int checked = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(library)) {
    std::filesystem::path solution = entry.path();
    if (solution.extension() != ".vrp" || !std::filesystem::exists(solution.replace_extension(".sol"))) continue;
    const auto outcome = run_program("verify --json " + entry.path().string() + " " + solution.string());
    EXPECT_EQ(outcome.code, 0) << entry.path();
    const auto object = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(object.at("cost"), object.at("stated_cost")) << entry.path();
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace neuopt
