#include "report/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/chart_axis.h"

namespace neuopt::report {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string texts(const std::vector<Tick>& ticks) {
  std::string all;
  for (const Tick& tick : ticks) all += tick.text + " ";
  return all;
}

TEST(Axis, TicksAreRoundNumbers) {
  EXPECT_EQ(texts(AxisScale(0, 1, 0, 100, false, false).ticks(5)), "0.0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(texts(AxisScale(-3, 4, 0, 100, false, true).ticks(20)), "\u22123 \u22122 \u22121 0 1 2 3 4 ");
  EXPECT_EQ(texts(AxisScale(0, 12000, 0, 100, false, false).ticks(3)), "0 5\u202f000 10\u202f000 ");
  EXPECT_EQ(texts(AxisScale(7.612, 7.618, 0, 100, false, false).ticks(3)), "7.612 7.614 7.616 7.618 ");
}

TEST(Axis, LogarithmicTicks) {
  EXPECT_EQ(texts(AxisScale(1, 100, 0, 100, true, false).ticks(8)), "1 2 5 10 20 50 100 ");
  EXPECT_EQ(texts(AxisScale(0.01, 100000, 0, 100, true, false).ticks(8)),
            "0.01 0.1 1 10 100 1\u202f000 10\u202f000 100\u202f000 ");
}

TEST(Axis, PlacesValues) {
  EXPECT_DOUBLE_EQ(AxisScale(2, 4, 10, 30, false, false).place(3), 20);
  EXPECT_DOUBLE_EQ(AxisScale(1, 100, 0, 50, true, false).place(10), 25);
  const AxisScale single(5, 5, 0, 10, false, false);
  EXPECT_DOUBLE_EQ(single.place(5), 5) << "one value lies in the middle";
  AxisScale rounded(0.3, 9.2, 0, 10, false, false);
  rounded.round_outwards(5);
  EXPECT_DOUBLE_EQ(rounded.low(), 0);
  EXPECT_DOUBLE_EQ(rounded.high(), 10);
}

TEST(Chart, DrawsEveryKindOfSeries) {
  const std::vector<Point> points = {{0, 1}, {1, 3}, {2, 2}};
  Panel panel;
  using Mark = Series::Mark;
  for (const Mark mark : {Mark::line, Mark::dashes, Mark::stairs, Mark::dots, Mark::crosses, Mark::bars})
    panel.series.push_back({mark, "a<b", Ink::good, 0, points, {}});
  panel.series.push_back({Mark::band, "", Ink::series, 2, points, {2, 4, 3}});
  const std::string svg = draw_chart({"T&T", "facts", {panel}});
  EXPECT_EQ(count(svg, "a&lt;b"), 6) << "a legend entry for each that has a name";
  EXPECT_EQ(count(svg, "class=\"bar\""), 3 + 1) << "three bars and their key";
  EXPECT_EQ(count(svg, "h0M"), 2) << "three dots in one element";
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_EQ(count(svg, "<g "), count(svg, "</g>"));
}

TEST(Chart, NumbersThatAreNoneAreLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  Panel panel;
  panel.series.push_back({Series::Mark::dots, "", Ink::plain, 0, {{0, 1}, {nan, 1}, {1, infinite}, {1, 2}}, {}});
  const std::string svg = draw_chart({"", "", {panel, Panel{}}});
  EXPECT_EQ(count(svg, "h0"), 2);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Chart, LongSeriesStaySmall) {
  Series series{Series::Mark::line, "", Ink::plain, 0, {}, {}};
  for (int i = 0; i < 200'000; ++i) series.points.push_back({static_cast<double>(i), std::sin(i * 0.001)});
  Series dots = series;
  dots.mark = Series::Mark::dots;
  Panel panel;
  panel.series = {series, dots};
  EXPECT_LT(draw_chart({"", "", {panel}}).size(), 1'000'000u);
}

}  // namespace
}  // namespace neuopt::report
