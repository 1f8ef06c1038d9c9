#include "problem/generate.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/test_set.h"
#include "io/tsplib.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::run_program;
using test::TemporaryFolder;

TEST(Generate, WritesATestSet) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("generate cvrp --size 20 --count 30 --seed 5 --output " + (folder / "set.npz")).code, 0);
  const auto instances = read_test_set(folder / "set.npz");
  ASSERT_EQ(instances.size(), 30u);
  EXPECT_EQ(instances[0].customers(), 20);
  EXPECT_EQ(instances[0].capacity, 30);
}

TEST(Generate, GivesAnInstanceThatDoesNotDependOnTheCount) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("generate tsp --size 10 --count 3 --seed 5 --output " + (folder / "few.npz")).code, 0);
  ASSERT_EQ(run_program("generate tsp --size 10 --count 9 --seed 5 --output " + (folder / "many.npz")).code, 0);
  ASSERT_EQ(run_program("generate tsp --size 10 --count 3 --seed 6 --output " + (folder / "other.npz")).code, 0);
  const auto few = read_test_set(folder / "few.npz"), many = read_test_set(folder / "many.npz"),
             other = read_test_set(folder / "other.npz");
  ASSERT_EQ(few.size(), 3u);
  ASSERT_EQ(many.size(), 9u);
  for (int node = 0; node < 10; ++node) EXPECT_EQ(few[2].coordinates[node].x, many[2].coordinates[node].x);
  EXPECT_NE(few[2].coordinates[0].x, other[2].coordinates[0].x);
}

TEST(Generate, WritesOneInstanceAsText) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("generate cvrp --size 20 --seed 5 --output " + (folder / "one.vrp")).code, 0);
  ASSERT_EQ(run_program("generate cvrp --size 20 --seed 5 --output " + (folder / "set.npz")).code, 0);
  const Instance text = read_instance_file(folder / "one.vrp");
  const Instance binary = read_test_set(folder / "set.npz").at(0);
  EXPECT_EQ(text.demand, binary.demand);
  EXPECT_EQ(text.distance(3, 4), binary.distance(3, 4));
  ASSERT_EQ(run_program("generate tsp --size 20 --format tsp --output " + (folder / "x")).code, 0);
  EXPECT_EQ(read_instance_file(folder / "x").kind, ProblemKind::tsp);
}

TEST(Generate, RefusesASetThatNothingReads) {
  const TemporaryFolder folder;
  const auto outcome =
      run_program("generate tsp --size 1000 --count 300000 --memory-limit 1000G --output " + (folder / "x.npz"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.errors.find("--count 300000"), std::string::npos) << outcome.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "x.npz"));
}

TEST(Generate, WritesShapedInstances) {
  const TemporaryFolder folder;
  const std::string shaped = "generate cvrp --size 30 --seed 5 --shaped --output ";
  ASSERT_EQ(run_program(shaped + (folder / "set.npz") + " --count 8").code, 0);
  ASSERT_EQ(run_program(shaped + (folder / "one.vrp")).code, 0);
  const auto set = read_test_set(folder / "set.npz");
  ASSERT_EQ(set.size(), 8u);
  for (std::size_t index = 0; index < set.size(); ++index) {
    const Instance expected = generate_shaped(ProblemKind::cvrp, 30, 5, index);
    EXPECT_EQ(set[index].demand, expected.demand);
    EXPECT_EQ(set[index].capacity, expected.capacity);
    for (int node = 0; node < expected.size; ++node)
      EXPECT_EQ(set[index].coordinates[node].x, expected.coordinates[node].x);
  }
  const Instance text = read_instance_file(folder / "one.vrp");
  EXPECT_EQ(text.demand, set[0].demand);
  EXPECT_EQ(text.capacity, set[0].capacity);
  EXPECT_EQ(text.distance(3, 4), set[0].distance(3, 4));

  ASSERT_EQ(run_program("solve " + (folder / "one.vrp") + " --steps 5 --output " + (folder / "one.sol")).code, 0);
  EXPECT_EQ(run_program("verify " + (folder / "one.vrp") + " " + (folder / "one.sol")).code, 0);
}

TEST(Generate, RefusesWhatDoesNotFitTheFile) {
  const TemporaryFolder folder;
  for (const char* arguments :
       {"tsp --size 5 --count 2 --output x.tsp", "tsp --size 5 --output x.vrp", "cvrp --size 5 --output x.tsp",
        "cvrp --size 5 --capacity 3 --output x.npz", "cvrp --size 5 --capacity 1e300 --output x.npz",
        "tsp --size 5 --capacity 30 --output x.npz", "cvrp --size 5 --shaped --capacity 30 --output x.npz",
        "tsp --size 5 --output x.txt"}) {
    const auto outcome = run_program(std::string("generate ") + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_TRUE(outcome.errors.starts_with("neuopt: ")) << outcome.errors;
  }
  for (const char* file : {"x.npz", "x.txt"}) EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Generate, RefusesWhatDoesNotFitIntoMemory) {
  const TemporaryFolder folder;
  const auto outcome =
      run_program("generate cvrp --size 1000000 --count 1000000 --output " + (folder / "x.npz"), "timeout 20");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.errors.find("GB are free"), std::string::npos) << outcome.errors;
}

TEST(Generate, KeepsToTheMemoryItMayTake) {
  const TemporaryFolder folder;
  const std::string command =
      "generate tsp --size 1000 --count 100 --output " + (folder / "x.npz") + " --memory-limit ";
  const auto outcome = run_program(command + "2M");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.errors.find(" of memory, 2.0 MB are allowed"), std::string::npos) << outcome.errors;
  EXPECT_FALSE(std::filesystem::exists(folder / "x.npz"));
  EXPECT_EQ(run_program(command + "1G").code, 0);
  for (const char* wrong : {"0", "-1", "nan", "many"}) EXPECT_EQ(run_program(command + wrong).code, 2) << wrong;
}

}  // namespace
}  // namespace neuopt
