// Outputs that would destroy an input, or each other, are refused before anything is written.
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/test_set.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "support/random_model.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

namespace fs = std::filesystem;
using test::run_program;

class FileGuard : public ::testing::Test {
 protected:
  void SetUp() override {
    const Instance instance = generate_uniform(ProblemKind::tsp, 8, 1, 0);
    write_file(at("me.tsp"), write_instance(instance));
    fs::create_directory(at("set"));
    write_file(at("set/a.tsp"), write_instance(instance));
    write_file(at("set/b.tsp"), write_instance(instance));
    write_test_set(at("set.npz"), {instance});
    policy::save_model(at("model"), test::random_model(test::small_architecture(ProblemKind::tsp)));
    ASSERT_EQ(run("start me.tsp --output me.tour").code, 0);
    ASSERT_EQ(run("solve me.tsp --steps 3 --trace me.jsonl --start random").code, 0);
    fs::create_symlink("me.tsp", at("symbolic.tsp"));
    fs::create_hard_link(at("me.tsp"), at("hard.tsp"));
  }

  std::string at(const std::string& name) const { return folder_ / name; }
  test::Outcome run(const std::string& arguments) const { return run_program(arguments, "cd " + at("") + " && "); }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
      if (entry.is_regular_file()) files[entry.path().string()] = read_file(entry.path().string());
    return files;
  }

  test::TemporaryFolder folder_;
};

TEST_F(FileGuard, NothingThatIsReadOrWrittenIsOverwritten) {
  const auto before = contents();
  for (const char* arguments : {
           "solve me.tsp --output me.tsp",
           "solve me.tsp --output ./set/../me.tsp",
           "solve me.tsp --output symbolic.tsp",
           "solve symbolic.tsp --output me.tsp",
           "solve me.tsp --output hard.tsp",
           "solve me.tsp --trace me.tsp",
           "solve me.tsp --model model --output model",
           "solve me.tsp --initial me.tour --trace me.tour",
           "solve me.tsp --output new --trace new",
           "solve me.tsp --trace new.svg --svg set/../new.svg",
           "solve < me.tsp /dev/stdin --output me.tsp",
           "solve set --output set/b.tsp",
           "solve set.npz --output set.npz",
           "eval set.npz --steps 1 --output set.npz",
           "eval set --steps 1 --output set/a.tsp",
           "eval set.npz --steps 1 --model model --output model",
           "start me.tsp --output me.tsp",
           "draw symbolic.tsp --output symbolic.tsp",
           "draw me.tsp me.tour --output me.tour",
           "plot trajectory me.jsonl --output me.jsonl",
           "import model --output model",
       }) {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << ": " << outcome.errors;
    EXPECT_NE(outcome.errors.find("would overwrite"), std::string::npos) << arguments << ": " << outcome.errors;
    EXPECT_EQ(contents(), before) << arguments;
  }
}

TEST_F(FileGuard, TheStartIsReplacedAndALinkStaysALink) {
  fs::create_symlink("me.tour", at("link.tour"));
  EXPECT_EQ(run("solve me.tsp --initial me.tour --output link.tour").code, 0);
  EXPECT_TRUE(fs::is_symlink(at("link.tour")));
  EXPECT_EQ(run("verify me.tsp me.tour").code, 0);
  EXPECT_EQ(run("solve me.tsp --output /dev/null --trace /dev/null --start random").code, 0);
}

}  // namespace
}  // namespace neuopt
