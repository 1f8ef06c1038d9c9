#include <gtest/gtest.h>

#include <map>

#include "core/error.h"
#include "io/search_trace.h"
#include "report/result_figures.h"
#include "report/search_figures.h"

namespace neuopt {
namespace {

constexpr const char* kHeader =
    R"({"type":"header","version":1,"name":"a","problem":"cvrp","nodes":12,"depots":2,"copies":1,"model":"m",)"
    R"("start":[{"cost":9.5,"tour":[]}]})"
    "\n";

std::string step_line(int step, double cost, double best, bool feasible, int k = 2) {
  return R"({"type":"step","copy":0,"step":)" + std::to_string(step) + R"(,"cost":)" + std::to_string(cost) +
         R"(,"best":)" + std::to_string(best) + R"(,"best_eps":)" + std::to_string(best) + R"(,"feasible":)" +
         (feasible ? "true" : "false") + R"(,"violation":0,"k":)" + std::to_string(k) + R"(,"augmented":false})" + "\n";
}

/// Six steps: infeasible, infeasible, feasible three times, and a new best.
std::string small_trace() {
  return kHeader + step_line(1, 9, 9.5, false, 3) + step_line(2, 8, 9.5, false, 3) + step_line(3, 9.6, 9.5, true, 1) +
         step_line(4, 9.7, 9.5, true) + step_line(5, 9.8, 9.5, true) + step_line(6, 8.5, 8.5, true) +
         R"({"type":"result","cost":8.5})" + "\n";
}

TEST(SearchTrace, ReadsWhatTheSolverWrites) {
  const SearchTrace trace = parse_search_trace(small_trace(), "t");
  EXPECT_EQ(trace.customers, 10);
  ASSERT_EQ(trace.copies.size(), 1u);
  ASSERT_EQ(trace.copies[0].size(), 6u);
  EXPECT_FALSE(trace.copies[0][0].feasible);
  EXPECT_EQ(trace.copies[0][5].best, 8.5);
  EXPECT_TRUE(looks_like_search_trace(small_trace()));
}

TEST(SearchTrace, EveryCutReadsOrIsRefused) {
  const std::string whole = small_trace();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    try {
      const SearchTrace trace = parse_search_trace(whole.substr(0, length), "t");
      EXPECT_LE(trace.copies.at(0).size(), 6u);
    } catch (const InputError&) {
    }
  }
}

TEST(SearchTrace, EveryChangedByteReadsOrIsRefused) {
  const std::string whole = small_trace();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char byte : {'\0', '"', '9', '-', 'e', '\n', '{', '\xff'}) {
      std::string changed = whole;
      changed[at] = byte;
      try {
        const SearchTrace trace = parse_search_trace(changed, "t");
        trajectory_chart(trace);
      } catch (const InputError&) {
      }
    }
}

TEST(SearchTrace, SaysWhatIsWrongAndWhere) {
  const auto message = [](const std::string& text) {
    try {
      parse_search_trace(text, "t");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message(""), "t: no trace of a search; 'neuopt solve --trace' writes one");
  EXPECT_EQ(message("hello\n"), "t:1: 'hello', expected a JSON object");
  EXPECT_EQ(message(step_line(1, 1, 1, true)), "t:1: expected the header of a trace");
  EXPECT_EQ(message(kHeader + step_line(2, 1, 1, true)), "t:2: step 2 of copy 0, expected step 1");
  EXPECT_TRUE(message(std::string(kHeader) + "{\"type\":\"step\",\"copy\":0,\"step\":1}\n")
                  .starts_with("t:2: unexpected content"));
  EXPECT_TRUE(message(std::string(kHeader) + kHeader).starts_with("t:2: a second header"));
}

TEST(Figures, Trajectory) {
  const SearchTrace trace = parse_search_trace(small_trace(), "t");
  const Chart chart = trajectory_chart(trace);
  std::map<std::string, std::size_t> sizes;
  for (const Series& series : chart.panels.at(0).series) sizes[series.name] = series.points.size();
  EXPECT_EQ(sizes["feasible"], 4u);
  EXPECT_EQ(sizes["infeasible"], 2u);
  EXPECT_EQ(trajectory_chart(trace, {0, 2, 4}).panels[0].series[0].points.size(), 3u);
  EXPECT_THROW(trajectory_chart(trace, {1, 1, 0}), InputError);
  EXPECT_THROW(trajectory_chart(trace, {0, 7, 0}), InputError);
}

TEST(Figures, ExchangeSizesAddUp) {
  const Chart chart = exchange_size_chart(parse_search_trace(small_trace(), "t"));
  double sum = 0;
  for (const Point& bar : chart.panels.at(0).series.at(0).points) sum += bar.y;
  EXPECT_NEAR(sum, 100, 1e-9);
  EXPECT_NEAR(chart.panels.at(1).series.back().upper.front(), 100, 1e-9) << "the shares fill the panel";
}

TEST(Figures, InfeasibleBeforeANewBest) {
  const Chart chart = infeasible_before_best_chart(parse_search_trace(small_trace(), "t"));
  const std::vector<Point>& bars = chart.panels.at(0).series.at(0).points;
  ASSERT_EQ(bars.size(), 6u);
  EXPECT_EQ(bars[2].y, 100) << "two of the five before the only new best";
  EXPECT_EQ(bars[0].y, 0);
  SearchTrace tsp = parse_search_trace(small_trace(), "t");
  tsp.kind = ProblemKind::tsp;
  EXPECT_THROW(infeasible_before_best_chart(tsp), InputError);
}

TEST(Figures, GapWithBands) {
  const std::string evaluation =
      R"({"problem":"tsp","size":20,"instances":5,"augment":1,"model":"/x/m.safetensors","curve":[)"
      R"({"step":10,"mean_cost":5,"gap_percent":9,"gap_percent_p10":4,"gap_percent_p90":12},)"
      R"({"step":100,"mean_cost":4,"gap_percent":2,"gap_percent_p10":1,"gap_percent_p90":3}]})";
  const Chart chart = gap_chart({{"e", evaluation}});
  ASSERT_EQ(chart.panels.at(0).series.size(), 2u);
  EXPECT_EQ(chart.panels[0].series[0].upper, (std::vector<double>{12, 3}));
  EXPECT_EQ(chart.panels[0].series[1].points[1].y, 2);
  EXPECT_EQ(chart.panels[0].series[1].name, "TSP-20, m.safetensors, 1 copy");
  EXPECT_THROW(gap_chart({{"e", "{}"}}), InputError);
  EXPECT_THROW(gap_chart({{"e", R"({"curve":[1]})"}}), InputError);
}

TEST(Figures, TrainingTakesWhatItFinds) {
  const std::string log = R"({"event":"batch","batch":1,"total_seconds":90,"final_cost":5,"value_loss":0.3})"
                          "\n"
                          R"({"event":"validation","batch":1,"cost_100":4.5,"gap_100":3})"
                          "\n"
                          R"({"event":"batch","batch":2,"total_seconds":180,"final_cost":4,"value_loss":0.2})"
                          "\n"
                          R"({"event":"batch","bat)";
  const Chart chart = training_chart(log, "run");
  ASSERT_EQ(chart.panels.size(), 3u) << "validation, cost, value loss";
  EXPECT_EQ(chart.panels[0].series.at(0).name, "100 steps");
  EXPECT_EQ(chart.panels[1].series.at(0).points.size(), 2u);
  EXPECT_NE(chart.facts.find("3 min"), std::string::npos) << chart.facts;
  EXPECT_THROW(training_chart("{\"x\":1}\n", "run"), InputError);
  EXPECT_THROW(training_chart("", "run"), InputError);
}

}  // namespace
}  // namespace neuopt
