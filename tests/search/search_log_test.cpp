#include "search/search_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/numbers.h"
#include "io/search_log.h"
#include "problem/start.h"
#include "search/starts.h"
#include "search_fixture.h"
#include "support/temporary_folder.h"

namespace neuopt::search {
namespace {

using Json = nlohmann::json;

std::vector<Json> read_lines(const std::string& path) {
  std::istringstream in(read_file(path));
  std::vector<Json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

struct Logged {
  SolveResult result;
  std::vector<Json> lines;
};

SolveOptions short_search() {
  SolveOptions options;
  options.copies = 3;
  options.steps = 12;
  options.stall_limit = 3;
  options.polish = 0;  // its tours are no steps
  return options;
}

Logged logged_search(ProblemKind kind, int session_copies) {
  const test::TemporaryFolder folder;
  const Instance instance = generate_uniform(kind, 15, 1, 0);
  SolveOptions options = short_search();
  options.session_copies = session_copies;
  SearchLogWriter writer(folder / "search.jsonl", instance, options, {"small", "cpu", true});
  SolveCallbacks callbacks;
  callbacks.observer = &writer;
  Logged logged{test::search_one(instance, options, callbacks), {}};
  writer.finish(logged.result);
  logged.lines = read_lines(folder / "search.jsonl");
  return logged;
}

TEST(SearchLog, ABestThatIsNotThereYetIsNull) {
  const test::TemporaryFolder folder;
  const Instance instance = generate_uniform(ProblemKind::cvrp, 15, 1, 0);
  SearchLogWriter writer(folder / "search.jsonl", instance, short_search(), {"small", "cpu", false});
  const SearchInstance view = make_search_instance(instance, {});
  const std::vector<int> start = start_from(view, make_start(instance, StartKind::automatic, 1));
  writer.begin(view, std::span(&start, 1));
  policy::StepRecord record{};
  record.cost = 9;
  record.k = 2;
  record.best_cost = record.best_epsilon_cost = kInfinity;
  writer.step(record);
  writer.finish({});
  EXPECT_TRUE(read_lines(folder / "search.jsonl").at(1).at("best").is_null());
  const SearchLog log = read_search_log(folder / "search.jsonl");
  EXPECT_EQ(log.copies.at(0).at(0).best, kInfinity);
  EXPECT_EQ(log.copies.at(0).at(0).best_near, kInfinity);
}

TEST(SearchLog, AgreesWithTheResult) {
  for (const ProblemKind kind : kProblemKinds)
    for (const int session_copies : {3, 2}) {
      const Logged logged = logged_search(kind, session_copies);
      ASSERT_EQ(logged.lines.size(), 1u + 3 * 12 + 1);
      const Json& header = logged.lines.front();
      EXPECT_EQ(header["type"], "header");
      EXPECT_EQ(header["x"].size(), header["nodes"]);
      EXPECT_EQ(header["start"].size(), 3u);
      EXPECT_EQ(logged.lines.back()["type"], "result");
      EXPECT_DOUBLE_EQ(logged.lines.back()["cost"], logged.result.cost);

      std::map<int, int> steps;  // of each copy
      std::map<int, double> best;
      int augmented = 0;
      for (int copy = 0; copy < 3; ++copy) best[copy] = header["start"][copy]["cost"];
      for (std::size_t i = 1; i + 1 < logged.lines.size(); ++i) {
        const Json& line = logged.lines[i];
        const int copy = line["copy"];
        EXPECT_EQ(line["step"], ++steps[copy]);
        EXPECT_EQ(line["feasible"], line["violation"] == 0);
        if (line["feasible"]) best[copy] = std::min<double>(best[copy], line["cost"]);
        EXPECT_NEAR(line["best"], best[copy], 1e-6);
        EXPECT_GE(line["k"], 1);
        EXPECT_LE(line["k"], 4);
        EXPECT_FALSE(line["chosen"].empty());
        std::vector<int> tour = line["tour"];
        EXPECT_EQ(tour.front(), 0);
        std::sort(tour.begin(), tour.end());
        for (std::size_t node = 0; node < tour.size(); ++node) EXPECT_EQ(tour[node], static_cast<int>(node));
        augmented += line["augmented"] ? 1 : 0;
      }
      EXPECT_NEAR(std::min({best[0], best[1], best[2]}), logged.result.cost, 1e-5);
      EXPECT_GT(augmented, 0);
    }
}

TEST(SearchLog, DoesNotChangeTheAnswer) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 15, 1, 0);
  const SolveResult plain = test::search_one(instance, short_search());
  EXPECT_EQ(logged_search(ProblemKind::tsp, 3).result.solution.routes, plain.solution.routes);
}

TEST(SearchLog, AnOlderOneStaysUntilTheSearchBegins) {
  const test::TemporaryFolder folder;
  const Instance instance = generate_uniform(ProblemKind::tsp, 15, 1, 0);
  write_file(folder / "log", "older\n");
  const SolveOptions options = short_search();
  { const SearchLogWriter refused(folder / "log", instance, options, {}); }
  EXPECT_EQ(read_file(folder / "log"), "older\n");
  SearchLogWriter writer(folder / "log", instance, options, {});
  SolveCallbacks callbacks;
  callbacks.observer = &writer;
  writer.finish(test::search_one(instance, options, callbacks));
  EXPECT_EQ(read_lines(folder / "log").front()["type"], "header");
}

/// More routes than one usually has room for: that it is searched by parts is known when the start is.
TEST(SearchLog, HasNoRoundsOfParts) {
  const test::TemporaryFolder folder;
  Instance instance = generate_uniform(ProblemKind::cvrp, 150, 1, 0);
  instance.capacity = 10;
  const SolveOptions options = short_search();
  SearchLogWriter writer(folder / "log", instance, options, {});
  SolveCallbacks callbacks;
  callbacks.observer = &writer;
  EXPECT_THROW(test::search_one(instance, options, callbacks), InputError);
}

TEST(SearchLog, ToNowhereIsAFailedResource) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 15, 1, 0);
  EXPECT_THROW(SearchLogWriter("/no-such-folder/log", instance, SolveOptions{}, {}), ResourceError);
}

}  // namespace
}  // namespace neuopt::search
