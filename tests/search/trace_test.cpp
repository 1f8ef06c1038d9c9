#include "search/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
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

struct Traced {
  SolveResult result;
  std::vector<Json> lines;
};

Traced trace(ProblemKind kind, int session_copies) {
  const testing::TemporaryFolder folder;
  const Instance instance = generate_uniform(kind, 15, 1, 0);
  SolveOptions options;
  options.copies = 3;
  options.steps = 12;
  options.stall_limit = 3;
  options.session_copies = session_copies;
  TraceWriter writer(folder / "trace.jsonl", instance, options, {"small", "cpu", true});
  SolveCallbacks callbacks;
  callbacks.observer = &writer;
  Traced traced{test::search_one(instance, options, callbacks), {}};
  writer.finish(traced.result);
  traced.lines = read_lines(folder / "trace.jsonl");
  return traced;
}

TEST(Trace, AgreesWithTheResult) {
  for (const ProblemKind kind : {ProblemKind::tsp, ProblemKind::cvrp})
    for (const int session_copies : {3, 2}) {
      const Traced traced = trace(kind, session_copies);
      ASSERT_EQ(traced.lines.size(), 1u + 3 * 12 + 1);
      const Json& header = traced.lines.front();
      EXPECT_EQ(header["type"], "header");
      EXPECT_EQ(header["x"].size(), header["nodes"]);
      EXPECT_EQ(header["start"].size(), 3u);
      EXPECT_EQ(traced.lines.back()["type"], "result");
      EXPECT_DOUBLE_EQ(traced.lines.back()["cost"], traced.result.cost);

      std::map<int, int> steps;  // of each copy
      std::map<int, double> best;
      int augmented = 0;
      for (int copy = 0; copy < 3; ++copy) best[copy] = header["start"][copy]["cost"];
      for (std::size_t i = 1; i + 1 < traced.lines.size(); ++i) {
        const Json& line = traced.lines[i];
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
      EXPECT_NEAR(std::min({best[0], best[1], best[2]}), traced.result.cost, 1e-5);
      EXPECT_GT(augmented, 0);
    }
}

TEST(Trace, DoesNotChangeTheAnswer) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 15, 1, 0);
  SolveOptions options;
  options.copies = 3;
  options.steps = 12;
  options.stall_limit = 3;
  const SolveResult untraced = test::search_one(instance, options);
  EXPECT_EQ(trace(ProblemKind::tsp, 3).result.solution.routes, untraced.solution.routes);
}

TEST(Trace, ToNowhereIsAFailedResource) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 15, 1, 0);
  EXPECT_THROW(TraceWriter("/no-such-folder/trace", instance, SolveOptions{}, {}), ResourceError);
}

}  // namespace
}  // namespace neuopt::search
