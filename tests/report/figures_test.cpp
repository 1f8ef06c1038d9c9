#include <gtest/gtest.h>

#include <map>

#include "core/error.h"
#include "io/search_log.h"
#include "io/search_log_sample.h"
#include "report/compare_figure.h"
#include "report/result_figures.h"
#include "report/search_figures.h"

namespace neuopt::report {
namespace {

using samples::small_log;

TEST(Figures, Trajectory) {
  const SearchLog log = parse_search_log(small_log(), "t");
  const Chart chart = trajectory_chart(log);
  std::map<std::string, std::size_t> sizes;
  for (const Series& series : chart.panels.at(0).series) sizes[series.name] = series.points.size();
  EXPECT_FALSE(sizes.contains("")) << "the legend names every line";
  EXPECT_NE(chart.facts.find("copy 1 "), std::string::npos) << chart.facts;
  EXPECT_EQ(sizes["feasible"], 4u);
  EXPECT_EQ(sizes["infeasible"], 2u);
  EXPECT_EQ(trajectory_chart(log, {0, 2, 4}).panels[0].series[0].points.size(), 3u);
  EXPECT_THROW(trajectory_chart(log, {1, 1, 0}), InputError);
  EXPECT_THROW(trajectory_chart(log, {0, 7, 0}), InputError);
}

TEST(Figures, ExchangeSizesAddUp) {
  const Chart chart = exchange_size_chart(parse_search_log(small_log(), "t"));
  double sum = 0;
  for (const Point& bar : chart.panels.at(0).series.at(0).points) sum += bar.y;
  EXPECT_NEAR(sum, 100, 1e-9);
  EXPECT_NEAR(chart.panels.at(1).series.back().upper.front(), 100, 1e-9) << "the shares fill the panel";
}

TEST(Figures, InfeasibleBeforeANewBest) {
  const Chart chart = infeasible_before_best_chart(parse_search_log(small_log(), "t"));
  const std::vector<Point>& bars = chart.panels.at(0).series.at(0).points;
  ASSERT_EQ(bars.size(), 6u);
  EXPECT_EQ(bars[2].y, 100) << "two of the five before the only new best";
  EXPECT_EQ(bars[0].y, 0);
  SearchLog tsp = parse_search_log(small_log(), "t");
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

TEST(Figures, ComparesRepetitionsByMeanAndBand) {
  const ComparedCurve runs{"K = 2",
                           {{"a.jsonl", "{\"batch\":0,\"cost_20\":1,\"cost_100\":6}\n{\"batch\":5,\"cost_100\":4}\n"},
                            {"b.jsonl", "{\"batch\":0,\"cost_20\":1,\"cost_100\":8}\n{\"batch\":9,\"cost_100\":5}\n"}}};
  const Chart chart = compare_chart({runs});
  ASSERT_EQ(chart.panels.at(0).series.size(), 2u);
  const Series &band = chart.panels[0].series[0], &line = chart.panels[0].series[1];
  ASSERT_EQ(line.points.size(), 1u) << "batch 0 alone is in both";
  EXPECT_EQ(line.points[0].y, 7);
  EXPECT_EQ(band.points.at(0).y, 6);
  EXPECT_EQ(band.upper, (std::vector<double>{8}));
  EXPECT_EQ(compare_chart({runs}, {.field = "cost_20"}).panels[0].series[1].points.at(0).y, 1);
  EXPECT_THROW(compare_chart({runs}, {.field = "cost_7"}), InputError);
  const std::string evaluation = R"({"curve":[{"step":10,"mean_cost":5}]})";
  EXPECT_EQ(compare_chart({{"e", {{"e", evaluation}}}}).panels[0].series.size(), 1u) << "no band around one";
  EXPECT_THROW(compare_chart({runs, {"e", {{"e", evaluation}}}}), InputError);
  EXPECT_THROW(compare_chart({{"e", {{"e", "{}"}}}}), InputError);
}

TEST(Figures, ComparesWithoutASteepBeginning) {
  const ComparedCurve run{"a",
                          {{"a.jsonl", "{\"batch\":0,\"cost_9_average\":90}\n{\"batch\":5,\"cost_9_average\":4}\n"}}};
  const Panel panel = compare_chart({run}, {.field = "cost_9_average", .below = 5}).panels.at(0);
  ASSERT_EQ(panel.series.at(0).points.size(), 1u);
  EXPECT_EQ(panel.series[0].points[0].y, 4);
  EXPECT_EQ(panel.y.label, "mean cost after 9 steps, averaged weights");
  EXPECT_THROW(compare_chart({run}, {.field = "cost_9_average", .below = 3}), InputError);
}

TEST(Figures, TrainingTakesWhatItFinds) {
  const std::string log = R"({"event":"batch","batch":1,"total_seconds":90,"final_cost":5,"value_loss":0.3})"
                          "\n"
                          R"({"event":"validation","batch":1,"cost_100":4.5,"gap_100":3,"gap_100_average":2})"
                          "\n"
                          R"({"event":"batch","batch":2,"total_seconds":180,"final_cost":4,"value_loss":0.2})"
                          "\n"
                          R"({"event":"batch","bat)";
  const Chart chart = training_chart(log, "run");
  ASSERT_EQ(chart.panels.size(), 3u) << "validation, cost, value loss";
  EXPECT_EQ(chart.panels[0].series.at(0).name, "100 steps");
  EXPECT_EQ(chart.panels[0].series.at(1).name, "100 steps, average");
  EXPECT_EQ(chart.panels[1].series.at(0).points.size(), 2u);
  EXPECT_NE(chart.facts.find("3 min"), std::string::npos) << chart.facts;
  EXPECT_THROW(training_chart("{\"x\":1}\n", "run"), InputError);
  EXPECT_THROW(training_chart("", "run"), InputError);
}

TEST(Figures, WhateverCanBeReadCanBeDrawn) {
  const std::string whole = small_log();
  int drawn = 0, refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char byte : {'\0', '"', '9', '-', 'e', '\n', '{', '\xff'}) {
      std::string changed = whole;
      changed[at] = byte;
      try {
        EXPECT_NE(draw_chart(trajectory_chart(parse_search_log(changed, "t"))).find("</svg>"), std::string::npos);
        ++drawn;
      } catch (const InputError&) {
        ++refused;
      }
    }
  EXPECT_GT(drawn, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace neuopt::report
