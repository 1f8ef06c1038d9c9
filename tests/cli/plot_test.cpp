#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/search_log_sample.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::run_program;
using test::TemporaryFolder;

TEST(Plot, WritesAPictureOfATrainingLog) {
  const TemporaryFolder folder;
  write_file(folder / "log.jsonl", "{\"batch\":1,\"final_cost\":5}\n{\"batch\":2,\"final_cost\":4}\n");
  const auto outcome = run_program("plot training " + folder.path() + " --output " + (folder / "x.svg"));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(read_file(folder / "x.svg").starts_with("<svg "));
}

TEST(Plot, ComparesRunsAndEvaluations) {
  const TemporaryFolder folder;
  const std::string output = " --output " + (folder / "x.svg");
  write_file(folder / "a.jsonl", "{\"batch\":0,\"cost_20\":9,\"cost_100\":5}\n{\"batch\":2,\"cost_100\":4}\n");
  write_file(folder / "b.jsonl", "{\"batch\":0,\"cost_100\":6}\n{\"batch\":2,\"cost_100\":5}\n");
  write_file(folder / "c.json", "{\"curve\":[{\"step\":1,\"mean_cost\":3},{\"step\":9,\"mean_cost\":2}]}");
  const std::string both = folder / "a.jsonl," + (folder / "b.jsonl");
  const auto outcome = run_program("plot compare K=2=" + both + " other=" + (folder / "b.jsonl") + output);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  const std::string picture = read_file(folder / "x.svg");
  EXPECT_NE(picture.find("K=2"), std::string::npos);
  EXPECT_NE(picture.find("mean cost after 100 steps"), std::string::npos);
  EXPECT_EQ(run_program("plot compare " + (folder / "c.json") + output).code, 0);
  EXPECT_EQ(run_program("plot compare " + (folder / "c.json") + " " + (folder / "a.jsonl") + output).code, 2);
  const auto lacking = run_program("plot compare x=" + both + " --field cost_20" + output);
  EXPECT_EQ(lacking.code, 2);
  EXPECT_NE(lacking.errors.find("b.jsonl"), std::string::npos) << lacking.errors;

  const auto timeless = run_program("plot compare " + (folder / "a.jsonl") + " --minutes" + output);
  EXPECT_EQ(timeless.code, 2);
  EXPECT_NE(timeless.errors.find("a.jsonl: does not say how long 2 batches took"), std::string::npos);
  write_file(folder / "timed.jsonl",
             "{\"batch\":0,\"cost_100\":6}\n{\"batch\":2,\"total_seconds\":60}\n{\"batch\":2,\"cost_100\":5}\n");
  EXPECT_EQ(run_program("plot compare " + (folder / "timed.jsonl") + " --minutes" + output).code, 0);
  const std::string timed = read_file(folder / "x.svg");
  EXPECT_NE(timed.find("minutes"), std::string::npos);
  EXPECT_NE(timed.find(">1.0<"), std::string::npos) << "the last point lies at one minute";
}

TEST(Plot, ConvertsWhereAConverterIsInstalled) {
  const TemporaryFolder folder;
  write_file(folder / "log.jsonl", "{\"batch\":1,\"final_cost\":5}\n");
  const auto outcome = run_program("plot training " + (folder / "log.jsonl") + " --output " + (folder / "x.png"));
  if (std::system("command -v rsvg-convert >/dev/null") == 0) {
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_TRUE(read_file(folder / "x.png").starts_with("\x89PNG"));
  } else {
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.errors.find("librsvg2-bin"), std::string::npos) << outcome.errors;
  }
}

TEST(Plot, BadInputIsNamed) {
  const TemporaryFolder folder;
  write_file(folder / "x.jsonl", "hello\n");
  const auto outcome = run_program("plot trajectory " + (folder / "x.jsonl") + " --output " + (folder / "x.svg"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.errors.find("x.jsonl:1:"), std::string::npos) << outcome.errors;
  EXPECT_EQ(run_program("plot trajectory x --output x.bmp").code, 2);
  EXPECT_EQ(run_program("plot").code, 2);
}

TEST(Plot, ALogThatLacksWhatIsDrawnIsNamed) {
  const TemporaryFolder folder;
  const std::string log = folder / "log.jsonl", output = " --output " + (folder / "x.svg");
  write_file(folder / "x.tsp", write_instance(generate_uniform(ProblemKind::tsp, 12, 1, 0)));
  ASSERT_EQ(run_program("solve " + (folder / "x.tsp") + " --steps 3 --augment 1 --trace " + log).code, 0);
  for (const char* figure : {"trajectory --copy 99 ", "trajectory --first 50 ", "infeasible "}) {
    const auto outcome = run_program(std::string("plot ") + figure + log + output);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(outcome.errors.starts_with("neuopt: " + log + ": ")) << outcome.errors;
  }
}

TEST(Plot, TakesAsManyCurvesAsItCanDraw) {
  for (const char* figure : {"gap", "compare"}) {
    const auto help = run_program(std::string("plot ") + figure + " --help");
    EXPECT_NE(help.output.find("files..."), std::string::npos) << help.output;
    const auto outcome = run_program(std::string("plot ") + figure + " 1 2 3 4 5 6 7 8 9 10 11 12 13 --output x.svg");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.errors.find("13 curves, expected at most"), std::string::npos) << outcome.errors;
  }
}

TEST(View, BadInputIsNamedBeforeAnythingIsServed) {
  const TemporaryFolder folder;
  write_file(folder / "x.tsp", "DIMENSION : many\n");
  const auto outcome = run_program("view " + (folder / "x.tsp"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_NE(outcome.errors.find("x.tsp:1:"), std::string::npos) << outcome.errors;
  EXPECT_EQ(run_program("view " + (folder / "missing.vrp")).code, 2);
  EXPECT_EQ(run_program("view --port 99999").code, 2);
  const auto refused = run_program("view --model nope");
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.output, "") << "no page for a model that is not there";
}

TEST(View, OptionsThatChangeAnInstanceNeedOne) {
  const TemporaryFolder folder;
  write_file(folder / "x.jsonl", samples::small_log());
  for (const char* option : {"--rounding none", "--vehicles 3"})
    for (const std::string& file : {std::string(), folder / "x.jsonl"}) {
      const auto refused = run_program(fmt::format("view {} {}", file, option), "timeout 10");
      EXPECT_EQ(refused.code, 2) << option;
      EXPECT_EQ(refused.output, "");
      EXPECT_NE(refused.errors.find("expected an instance"), std::string::npos) << refused.errors;
    }
}

}  // namespace
}  // namespace neuopt
