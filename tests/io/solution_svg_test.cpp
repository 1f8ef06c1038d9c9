#include "io/solution_svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "env/host_instance.h"
#include "io/palette.h"
#include "io/svg.h"
#include "problem/generate.h"
#include "problem/normalize.h"
#include "problem/start.h"

namespace neuopt {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Solution some_solution(const Instance& instance) {
  const SearchInstance search = make_search_instance(instance);
  return to_solution(search, env::standard_start(search, Random{1}, 0, 0));
}

TEST(Svg, EscapesText) {
  EXPECT_EQ(escape_xml("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(escape_xml("caf\xC3\xA9 \xE2\x82\xAC"), "caf\xC3\xA9 \xE2\x82\xAC");
  EXPECT_EQ(escape_xml(std::string("\0\x1b\x7f\n", 4)), "????");
  EXPECT_EQ(escape_xml("\xC3"), "?");
  EXPECT_EQ(escape_xml("\xC0\xAF\xED\xA0\x80"), "?????");
  EXPECT_EQ(escape_xml("\xEF\xBF\xBF"), "???");
}

TEST(Svg, WritesNumbersThatEveryViewerReads) {
  SvgCanvas canvas(10, 10, "t", "");
  canvas.circle({1.005, -0.001}, 1.0 / 0.0, "");
  EXPECT_EQ(count(canvas.finish(), "cx=\"1\" cy=\"0\" r=\"0\""), 1) << canvas.finish();
}

TEST(Palette, KeepsAHundredColoursApart) {
  for (const bool dark : {false, true}) {
    std::set<std::string> colours;
    for (int index = 0; index < 100; ++index) colours.insert(distinct_colour(index, dark));
    EXPECT_EQ(colours.size(), 100u);
  }
}

TEST(Picture, ShowsEveryNodeAndRoute) {
  const Instance instance = generate_uniform(ProblemKind::cvrp, 60, 1, 0);
  const Solution solution = some_solution(instance);
  const std::string picture = draw_picture(instance, &solution);
  EXPECT_EQ(count(picture, "<circle "), 60);
  EXPECT_EQ(count(picture, "class=\"route\""), static_cast<int>(solution.routes.size()));
  EXPECT_EQ(count(picture, "class=\"depot\""), 1);
  EXPECT_EQ(count(picture, "class=\"scale\""), 1);
  EXPECT_EQ(count(picture, "prefers-color-scheme:dark"), 1);
  EXPECT_EQ(count(picture, instance.name), 2);  // heading and accessible title
  EXPECT_EQ(count(draw_picture(instance), "class=\"route\""), 0);
  EXPECT_EQ(count(draw_picture(instance), "<circle "), 60);
}

TEST(Picture, MarksWhatIsWrong) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 6, 1, 0);
  instance.demand = {0, 20, 20, 20, 20, 20, 20};
  instance.capacity = 30;
  const Solution right{{{1}, {2}, {3}, {4}, {5}, {6}}}, wrong{{{1}, {}, {2, 3}, {4, 6}}};
  const std::string good = draw_picture(instance, &right), bad = draw_picture(instance, &wrong);
  for (const char* mark : {"class=\"over\"", "class=\"missing\"", "class=\"wrong\""})
    EXPECT_EQ(count(good, mark), 0) << mark;
  EXPECT_EQ(count(bad, "class=\"over\""), 2);
  EXPECT_EQ(count(bad, "class=\"missing\""), 1);
  EXPECT_EQ(count(bad, "not feasible: route 3 over capacity by 10; route 4 over capacity by 10; and more"), 1) << bad;
  const Solution missing{{{1}, {2}, {3}, {4}, {5}}};
  EXPECT_EQ(count(draw_picture(instance, &missing), ">not feasible: customer 6 missing<"), 1);
  EXPECT_EQ(count(draw_picture(instance), "class=\"missing\""), 0) << "nothing is missing where nothing was given";
}

/// The numbers that a picture has for an attribute.
std::vector<double> numbers(const std::string& picture, const std::string& attribute) {
  std::vector<double> found;
  const std::string before = " " + attribute + "=\"";
  for (std::size_t at = picture.find(before); at != std::string::npos; at = picture.find(before, at + 1))
    found.push_back(std::stod(picture.substr(at + before.size())));
  return found;
}

TEST(Picture, WordsFitOnThePageAboveTheNodes) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 100, 1, 0);
  for (int length : {1, 48, 49, 200}) {
    instance.name.clear();
    for (int i = 0; i < length; ++i) instance.name += "ü";
    const Solution wrong{{{1, 2, 3}}};
    const std::string picture = draw_picture(instance, &wrong), empty = draw_picture(instance);
    const std::vector<double> tops = numbers(picture, "cy"), radii = numbers(picture, "r"),
                              before = numbers(empty, "cy");
    for (std::size_t i = 0; i < tops.size(); ++i) EXPECT_GT(tops[i] - radii[i], 82) << "the line of what is wrong";
    EXPECT_LT(*std::min_element(before.begin(), before.end()), *std::min_element(tops.begin(), tops.end()));
    for (const char* words : {"class=\"name\">", "class=\"wrong\">"}) {
      const std::size_t begin = picture.find(words) + std::string(words).size();
      const std::string line = picture.substr(begin, picture.find('<', begin) - begin);
      EXPECT_LE(line.size(), line.starts_with("not") ? 85u : 99u) << line;
    }
    EXPECT_EQ(count(picture, ">" + instance.name + "<"), length <= 48 ? 2 : 1) << "the title has the whole name";
  }
}

TEST(Picture, SurvivesWhatIsWrong) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 5, 1, 0);
  instance.name = "<script>alert(1)</script>\xff";
  const Solution wrong{{{1, 99, -3, 1, 0}, {}, {77}}};
  const std::string picture = draw_picture(instance, &wrong);
  EXPECT_EQ(count(picture, "<script"), 0);
  EXPECT_EQ(count(picture, "class=\"route\""), 1);
  EXPECT_FALSE(draw_picture(Instance{}).empty());

  Instance one_place = generate_uniform(ProblemKind::tsp, 3, 1, 0);
  one_place.coordinates.assign(3, {0.5, 0.5});
  const Solution tour{{{0, 1, 2}}};
  EXPECT_EQ(count(draw_picture(one_place, &tour), "nan"), 0);
}

TEST(Picture, DrawsAMatrixWithoutCoordinates) {
  Instance instance;
  instance.metric = Metric::explicit_matrix;
  instance.size = 3;
  instance.matrix = {0, 3, 4, 3, 0, 5, 4, 5, 0};
  EXPECT_EQ(count(draw_picture(instance), "<circle "), 3);
  EXPECT_EQ(count(draw_picture(instance), "class=\"scale\""), 0);
  instance.coordinates = {{0, 0}, {1, 0}, {0, 1}};  // for the display only
  EXPECT_EQ(count(draw_picture(instance), "class=\"scale\""), 0);
}

TEST(Picture, MarksWhoIsLate) {
  Instance instance = generate_uniform(ProblemKind::vrptw, 5, 1, 0);
  const Solution alone{{{1}, {2}, {3}, {4}, {5}}};
  EXPECT_EQ(count(draw_picture(instance, &alone), "class=\"late\""), 0);
  instance.windows[2] = {0, 0};
  instance.windows[0].closes = instance.windows[3].opens;
  const std::string picture = draw_picture(instance, &alone);
  EXPECT_EQ(count(picture, "class=\"late\""), 1);
  EXPECT_GE(count(picture, "class=\"return\""), 1);
  EXPECT_NE(picture.find("late by"), std::string::npos);
}

}  // namespace
}  // namespace neuopt
