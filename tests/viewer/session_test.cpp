#include "viewer/session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/file.h"
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
using Clock = std::chrono::steady_clock;

ControlRequest asks_for(ControlRequest::Action action) {
  ControlRequest request;
  request.action = action;
  return request;
}

/// A file that is not there before the test lets go of it: who reads it has to wait.
class HeldFile {
 public:
  explicit HeldFile(std::string path) : path_(std::move(path)) { EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0); }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  const std::string& path() const { return path_; }
  void wait_for_reader() { end_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC); }
  void release(std::string_view bytes) const {
    EXPECT_EQ(write(end_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(end_);
  }

 private:
  std::string path_;
  int end_ = -1;  // to write to
};

class SessionTest : public ::testing::Test {
 protected:
  /// The file of a small random model.
  std::string make_model(ProblemKind kind) const {
    std::string path = folder_ / "model.safetensors";
    policy::save_model(path, test::random_model(test::small_architecture(kind)));
    return path;
  }

  /// A session whose searches use it.
  std::unique_ptr<Session> make_session(ProblemKind kind) const {
    return std::make_unique<Session>(SearchChoice{make_model(kind), "cpu", 1});
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
  EXPECT_TRUE(has(text, R"("verified":true,"findings":[])")) << text;
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
  session->control(asks_for(ControlRequest::Action::step));
  EXPECT_TRUE(has(wait_for(*session, R"("step":1,)"), R"("step":1,)"));
  Cursor cursor;
  session->board().news(cursor, milliseconds(0));
  EXPECT_EQ(session->board().news(cursor, milliseconds(200)), "") << "it waits for the next step";
  session->control(asks_for(ControlRequest::Action::stop));
  EXPECT_TRUE(has(wait_for(*session, R"("phase":"done")"), R"("stopped_by":"interrupt")"));
}

TEST_F(SessionTest, StopsWhileTheStartOfALargeSearchIsBuilt) {
  const auto session = make_session(ProblemKind::cvrp);
  session->generate({ProblemKind::cvrp, 4999, 1});
  const StartRequest request{.steps = 10'000'000, .start = search::StartKind::automatic};  // kicked for minutes
  session->start(request);
  ASSERT_TRUE(has(wait_for(*session, R"("best":[0,)"), R"("best":[0,)"));
  std::this_thread::sleep_for(milliseconds(200));  // to find something better than what it began with
  session->control(asks_for(ControlRequest::Action::stop));
  const std::string text = wait_for(*session, R"("phase":"done")");
  ASSERT_TRUE(has(text, R"("stopped_by":"interrupt")")) << text.substr(0, 2000);

  const std::string details = text.substr(text.find(R"("details":{"cost":)") + 18);
  const Instance instance = generate_uniform(ProblemKind::cvrp, 4999, 1, 0);
  const SolutionFile file = parse_solution(session->solution_file()->bytes, "x.sol", instance);
  EXPECT_NEAR(verify(instance, file.solution).cost, std::stod(details), 1e-6) << "the answer is what can be saved";

  session->start(request);
  const Clock::time_point begin = Clock::now();
  session->stop();
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
  EXPECT_TRUE(session->solution_file()) << "an answer without a single step";
}

TEST_F(SessionTest, WhileASearchEndsPagesAreAnsweredAndHoldTheNext) {
  HeldFile model(folder_ / "held.safetensors");
  Session session(SearchChoice{model.path(), "cpu", 1});
  session.generate({ProblemKind::tsp, 20, 1});
  session.start({.steps = 1'000'000, .copies = 2});
  model.wait_for_reader();  // the search cannot end now, whatever it is asked for
  std::thread page([&] { session.start({.steps = 1'000'000, .copies = 3, .speed = 77}); });
  EXPECT_TRUE(has(wait_for(session, R"("speed":77,)"), R"("speed":77,)"));
  auto other_page = std::async(std::launch::async, [&] {
    session.control(asks_for(ControlRequest::Action::stop));
    return session.instance_file().has_value();
  });
  EXPECT_EQ(other_page.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  model.release(read_file(make_model(ProblemKind::tsp)));
  page.join();
  EXPECT_TRUE(other_page.get());
  ASSERT_TRUE(has(wait_for(session, R"("copies":3,)"), R"("copies":3,)"));
  EXPECT_TRUE(has(wait_for(session, R"("phase":"done")"), R"("stopped_by":"interrupt")"));
}

TEST_F(SessionTest, ManyPagesMayEndSearchesAtTheSameTime) {
  const auto session = make_session(ProblemKind::tsp);
  session->generate({ProblemKind::tsp, 20, 1});
  std::vector<std::thread> pages;
  for (int page = 0; page < 4; ++page)
    pages.emplace_back([&, page] {
      for (int i = 0; i < 10; ++i) {
        session->start({.steps = 1'000'000});
        session->control(asks_for(page % 2 == 0 ? ControlRequest::Action::stop : ControlRequest::Action::step));
        if (i % 3 == page % 3) session->generate({ProblemKind::tsp, 20 + i, 1});
        if (i % 4 == page) session->stop();
        session->picture();
      }
    });
  for (std::thread& page : pages) page.join();
  session->start({.steps = 7});
  EXPECT_TRUE(has(wait_for(*session, R"("steps":7,"stopped_by":"steps")"), R"("stopped_by":"steps")"));
}

TEST_F(SessionTest, AnAnswerThatIsNotFeasibleIsNotCalledVerified) {
  const auto session = make_session(ProblemKind::cvrp);
  Instance instance = generate_uniform(ProblemKind::cvrp, 12, 1, 0);
  instance.capacity = 10;
  for (int node = 0; node < instance.size; ++node)
    instance.demand[static_cast<std::size_t>(node)] =
        node == instance.depot ? 0 : 4;  // two in a vehicle: six are needed
  instance.vehicles = 5;
  session->load(write_instance(instance), "a.vrp");
  session->start({.steps = 20});
  const std::string text = wait_for(*session, R"("phase":"done")");
  EXPECT_TRUE(has(text, R"("vehicles":5)")) << text;
  EXPECT_TRUE(has(text, R"("verified":false,"findings":["6 routes, 1 more than there are vehicles"])")) << text;
  EXPECT_FALSE(session->solution_file());
}

TEST_F(SessionTest, KeepsItsSpeed) {
  const auto session = make_session(ProblemKind::tsp);
  session->generate({ProblemKind::tsp, 20, 1});
  const auto begin = Clock::now();
  session->start({10, 1, 1, 20, false});
  ASSERT_TRUE(has(wait_for(*session, R"("phase":"done")"), R"("phase":"done")"));
  EXPECT_GE(Clock::now() - begin, milliseconds(350)) << "ten steps at twenty in a second";
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
