#include "viewer/session.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/error.h"
#include "io/solution_file.h"
#include "io/tsplib.h"
#include "policy/model.h"
#include "problem/generate.h"
#include "problem/verify.h"
#include "support/random_model.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace neuopt::viewer {
namespace {

using std::chrono::milliseconds;
using test::has;

class SessionTest : public ::testing::Test {
 protected:
  /// A session whose searches use a small random model.
  std::unique_ptr<Session> make_session(ProblemKind kind) {
    const std::string path = folder_ / "model.safetensors";
    policy::save_model(path, test::random_model(test::small_architecture(kind)));
    return std::make_unique<Session>(SearchChoice{path, "cpu", 1});
  }

  /// Reads the board until the text appears, half a minute at most.
  static std::string wait_for(Session& session, const std::string& part) {
    Cursor cursor;
    std::string all;
    for (int i = 0; i < 300 && !has(all, part); ++i) all += session.board().news(cursor, milliseconds(100));
    return all;
  }

  test::TemporaryFolder folder_;
};

TEST_F(SessionTest, SolvesToTheEndAndHandsOutTheVerifiedSolution) {
  const auto session = make_session(ProblemKind::cvrp);
  const Instance instance = generate_uniform(ProblemKind::cvrp, 20, 3, 0);
  session->load(write_instance(instance), "a.vrp");
  session->start({30, 2, 1, 0, false});
  const std::string text = wait_for(*session, R"("phase":"done")");
  ASSERT_TRUE(has(text, R"("phase":"done")")) << text;
  EXPECT_TRUE(has(text, R"("stopped_by":"steps")")) << text;
  const auto download = session->solution_file();
  ASSERT_TRUE(download);
  EXPECT_TRUE(download->name.ends_with(".sol")) << download->name;
  const SolutionFile file = parse_solution(download->bytes, "x.sol", instance);
  const Verdict verdict = verify(instance, file.solution);
  EXPECT_TRUE(verdict.feasible);
  EXPECT_NEAR(verdict.cost, file.cost.value_or(0), 1e-6);
  EXPECT_TRUE(session->picture()->bytes.starts_with("<svg "));
}

TEST_F(SessionTest, PausesStepsAndStops) {
  const auto session = make_session(ProblemKind::tsp);
  session->generate({ProblemKind::tsp, 20, 1});
  session->start({1'000'000, 1, 1, 0, true});
  EXPECT_TRUE(has(wait_for(*session, R"("phase":"paused")"), R"("step":0)"));
  ControlRequest step;
  step.action = ControlRequest::Action::step;
  session->control(step);
  EXPECT_TRUE(has(wait_for(*session, R"("step":1,)"), R"("step":1,)"));
  Cursor cursor;
  session->board().news(cursor, milliseconds(0));
  EXPECT_EQ(session->board().news(cursor, milliseconds(200)), "") << "it waits for the next step";
  ControlRequest stop;
  stop.action = ControlRequest::Action::stop;
  session->control(stop);
  EXPECT_TRUE(has(wait_for(*session, R"("phase":"done")"), R"("stopped_by":"interrupt")"));
}

TEST_F(SessionTest, KeepsItsSpeed) {
  const auto session = make_session(ProblemKind::tsp);
  session->generate({ProblemKind::tsp, 20, 1});
  const auto begin = std::chrono::steady_clock::now();
  session->start({10, 1, 1, 20, false});
  ASSERT_TRUE(has(wait_for(*session, R"("phase":"done")"), R"("phase":"done")"));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(350)) << "ten steps at twenty in a second";
}

TEST_F(SessionTest, TinyInstancesAreSolvedWithoutAModel) {
  Session session(SearchChoice{});
  session.generate({ProblemKind::tsp, 6, 1});
  session.start({10, 1, 1, 0, false});
  EXPECT_TRUE(has(wait_for(session, R"("phase":"done")"), R"("stopped_by":"exact")"));
  EXPECT_TRUE(session.solution_file()->name.ends_with(".tour"));
}

TEST_F(SessionTest, ExamplesKnowTheirBestCost) {
  const auto session = make_session(ProblemKind::cvrp);
  session->load_example("cvrp60");
  session->start({.steps = 20, .copies = 1, .seed = 1, .speed = 500});
  const std::string text = wait_for(*session, R"("phase":"done")");
  EXPECT_TRUE(has(text, R"("reference":11.737)")) << text;
  EXPECT_TRUE(has(text, R"("gap":0.)")) << text;
  EXPECT_TRUE(has(text, R"("speed":500,)"));
  EXPECT_THROW(session->load_example("cvrp61"), InputError);
  EXPECT_THROW(session->load_example("../cvrp60"), InputError);
}

TEST_F(SessionTest, WhatReadingFoundUnusualIsShown) {
  Session session(SearchChoice{});
  session.load(
      "NAME : a\nTYPE : TSP\nCOLOUR : red\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n"
      "1 0 0\n2 3 0\n3 0 4\nEOF\n",
      "a.tsp");
  Cursor cursor;
  EXPECT_TRUE(has(session.board().news(cursor, milliseconds(0)), R"("notes":["a.tsp:3: )"));
}

TEST_F(SessionTest, WhatIsMissingIsSaidBeforeThereIsAPage) {
  EXPECT_THROW(Session(SearchChoice{.model = "nope"}).prepare(), InputError);
  EXPECT_THROW(Session(SearchChoice{.device = "abacus"}).prepare(), InputError);
  const auto session = make_session(ProblemKind::cvrp);
  EXPECT_NO_THROW(session->prepare());
  session->generate({ProblemKind::tsp, 30, 1});
  EXPECT_THROW(session->prepare(), InputError) << "a model for another problem";
}

TEST_F(SessionTest, BadInputIsSaidAndChangesNothing) {
  Session session(SearchChoice{folder_ / "missing.safetensors", "cpu", 1});
  EXPECT_THROW(session.start({}), InputError) << "no instance yet";
  EXPECT_FALSE(session.picture());
  session.generate({ProblemKind::tsp, 30, 1});
  EXPECT_THROW(session.load("NAME : broken\nDIMENSION : many\n", "file"), InputError);
  EXPECT_FALSE(session.solution_file());
  EXPECT_TRUE(session.instance_file());
  session.start({});
  EXPECT_TRUE(has(wait_for(session, R"("phase":"failed")"), "missing.safetensors"));
}

TEST_F(SessionTest, NamesFromFilesAreHarmless) {
  Session session(SearchChoice{});
  Instance instance = generate_uniform(ProblemKind::tsp, 5, 1, 0);
  instance.name = "../\"<script>\r\nSet-Cookie: x";
  session.load(write_instance(instance), "file");
  EXPECT_EQ(session.instance_file()->name.find_first_not_of("abcdefghijklmnopqrstuvwxyzSC-."), std::string::npos)
      << session.instance_file()->name;
}

TEST_F(SessionTest, ANewStartEndsTheSearchBefore) {
  const auto session = make_session(ProblemKind::tsp);
  session->generate({ProblemKind::tsp, 20, 1});
  session->start({1'000'000, 1, 1, 1, false});  // would take days
  session->start({3, 1, 1, 0, false});
  EXPECT_TRUE(has(wait_for(*session, R"("steps":3,"stopped_by":"steps")"), R"("stopped_by":"steps")"));
}

}  // namespace
}  // namespace neuopt::viewer
