// neuopt table, and the script that measures what the tables of docs/results.md need.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_program.h"
#include "core/file.h"
#include "policy/model.h"
#include "support/random_model.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::Outcome;
using test::run_program;
using test::TemporaryFolder;

/// A folder with a plan of one set and one instance, both of five nodes more than tiny, and a small random model.
struct Project {
  TemporaryFolder folder;

  Project() {
    for (const char* name : {"sets", "library", "library/tsplib", "plans", "raw"})
      std::filesystem::create_directory(folder / name);
    EXPECT_EQ(run_program("generate tsp --size 14 --count 6 --seed 5 --output " + (folder / "sets/small.npz")).code, 0);
    EXPECT_EQ(run_program("generate tsp --size 14 --seed 6 --output " + (folder / "library/tsplib/one.tsp")).code, 0);
    write_file(folder / "library/tsplib/optimal.txt", "other 7\none 1000\n");
    write_file(folder / "plans/plan.csv",
               "row,result,input,instances,nodes,augment,steps,paper gap\n"
               "set,set-row,small.npz,6,14,1,3,0.10 %\n"
               "one,one-row,one.tsp,4,14,2,3,0.30 %\n");
    write_file(folder / "plans/text.md",
               "# Page\n\n@table plan.csv --columns instances,gap,best,model --mean\n\nEnd\n");
    policy::save_model(folder / "model", test::random_model(test::small_architecture(ProblemKind::tsp)));
  }

  Outcome table(const std::string& options = "") const {
    return run_program("table " + (folder / "plans/plan.csv") + " --results " + (folder / "raw") + " " + options);
  }

  /// Runs scripts/results.sh; returns its exit code.
  int measure(const std::string& options) const {
    const std::string command = std::string("bash ") + NEUOPT_TEST_DATA + "/../../scripts/results.sh --program " +
                                NEUOPT_PROGRAM + " --datasets " + (folder / "sets") + " --instances " +
                                (folder / "library") + " --plans " + (folder / "plans") + " --raw " + (folder / "raw") +
                                " --output " + (folder / "page.md") + " --device cpu --model " + (folder / "model") +
                                " --commit abc " + options + " 2>" + (folder / "said");
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string said() const { return read_file(folder / "said"); }
  std::string page() const { return read_file(folder / "page.md"); }
  nlohmann::json raw(const std::string& row) const { return nlohmann::json::parse(read_file(folder / ("raw/" + row))); }
};

TEST(Table, SaysWhatIsNotYetMeasured) {
  const Project project;
  const Outcome nowhere = run_program("table " + (project.folder / "plans/plan.csv") + " --results none");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_NE(nowhere.errors.find("none: no such folder"), std::string::npos) << nowhere.errors;
  const Outcome outcome = project.table();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("| set | not yet measured |"), outcome.output.npos) << outcome.output;
}

TEST(Table, EndsWithExitCode2OnADamagedResult) {
  const Project project;
  ASSERT_EQ(project.measure(""), 0) << project.said();
  EXPECT_EQ(project.table().code, 0);
  const std::string whole = read_file(project.folder / "raw/set-row.json");
  write_file(project.folder / "raw/set-row.json", whole.substr(0, whole.size() / 2));
  const Outcome outcome = project.table();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_NE(outcome.errors.find("raw/set-row.json"), outcome.errors.npos) << outcome.errors;
  EXPECT_EQ(project.table("--columns fame").code, 2);
  EXPECT_EQ(run_program("table nowhere.csv --results .").code, 2);
}

TEST(ResultsScript, MeasuresEachRowOnceAndWritesThePage) {
  const Project project;
  ASSERT_EQ(project.measure("--only 'set-*'"), 0) << project.said();
  EXPECT_NE(project.page().find("| one | not yet measured |"), std::string::npos) << project.page();
  const std::string first = read_file(project.folder / "raw/set-row.json");
  ASSERT_EQ(project.measure("--machine 'a machine'"), 0) << project.said();
  EXPECT_EQ(read_file(project.folder / "raw/set-row.json"), first);  // was there: the seconds would differ
  const nlohmann::json one = project.raw("one-row.json");
  EXPECT_EQ(one["runs"], 4);
  EXPECT_EQ(one["augment"], 2);
  EXPECT_EQ(one["reference_cost"], 1000);
  EXPECT_EQ(one["labels"]["machine"], "a machine");
  EXPECT_EQ(one["labels"]["commit"], "abc");
  EXPECT_TRUE(project.page().starts_with("# Page\n\n| row | instances |")) << project.page();
  EXPECT_TRUE(project.page().ends_with("|\n\nEnd\n")) << project.page();
  EXPECT_EQ(project.page().find("not yet measured"), std::string::npos);
}

TEST(ResultsScript, MeasuresAgainForMoreInstancesOrAnotherModel) {
  const Project project;
  ASSERT_EQ(project.measure("--first 2"), 0) << project.said();
  EXPECT_EQ(project.raw("set-row.json")["instances"], 2);
  EXPECT_NE(project.page().find("| set | 2 of 6 |"), std::string::npos) << project.page();
  ASSERT_EQ(project.measure(""), 0) << project.said();
  EXPECT_EQ(project.raw("set-row.json")["instances"], 6);
  policy::Model other = test::random_model(test::small_architecture(ProblemKind::tsp));
  other.provenance["leg"] = "second";
  policy::save_model(project.folder / "model", other);
  ASSERT_EQ(project.measure("--first 3 --only 'set-row'"), 0) << project.said();
  EXPECT_EQ(project.raw("set-row.json")["instances"], 3);
}

TEST(ResultsScript, LeavesTrialsOutOfTheResults) {
  const Project project;
  const std::string script =
      std::string("bash ") + NEUOPT_TEST_DATA + "/../../scripts/results.sh --steps 5 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(script.c_str())), 2);
  ASSERT_EQ(project.measure("--steps 5 --augment 1"), 0) << project.said();  // folders of its own: allowed
  EXPECT_EQ(project.raw("one-row.json")["steps"], 5);
  EXPECT_EQ(project.table().code, 2);  // by the plan itself that is no result
}

TEST(ResultsScript, SaysWhatIsMissingAndGoesOn) {
  const Project project;
  write_file(project.folder / "library/tsplib/optimal.txt", "other 7\n");
  EXPECT_EQ(project.measure(""), 3);
  EXPECT_NE(project.said().find("no known cost of"), std::string::npos) << project.said();
  EXPECT_TRUE(std::filesystem::exists(project.folder / "raw/set-row.json"));
  EXPECT_EQ(project.measure("--colour blue"), 2);
  EXPECT_EQ(project.measure("--first none"), 2);
}

}  // namespace
}  // namespace neuopt
