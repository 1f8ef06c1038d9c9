// Costs by the conventions of the files, on small cases computed by hand and on published values of the libraries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "io/solution_file.h"
#include "io/text_samples.h"
#include "io/tsplib.h"

namespace neuopt {
namespace {

namespace fs = std::filesystem;

double first_edge(Metric metric, Point a, Point b, double height = 0) {
  Instance instance;
  instance.metric = metric;
  instance.size = 2;
  instance.coordinates = {a, b};
  instance.z = {0, height};
  EXPECT_EQ(instance.distance(0, 1), instance.distance(1, 0));
  EXPECT_EQ(instance.distance(1, 1), 0);
  return instance.distance(0, 1);
}

TEST(Distance, ByHand) {
  EXPECT_EQ(first_edge(Metric::euc_2d, {0, 0}, {1, 1}), 1);    // 1.414
  EXPECT_EQ(first_edge(Metric::euc_2d, {0, 0}, {2, 1.5}), 3);  // 2.5 rounds up
  EXPECT_EQ(first_edge(Metric::ceil_2d, {0, 0}, {1, 1}), 2);
  EXPECT_EQ(first_edge(Metric::ceil_2d, {0, 0}, {3, 4}), 5);
  EXPECT_EQ(first_edge(Metric::man_2d, {0, 0}, {-1.2, 1.3}), 3);  // 2.5
  EXPECT_EQ(first_edge(Metric::max_2d, {0, 0}, {-1.2, 1.6}), 2);
  EXPECT_EQ(first_edge(Metric::att, {0, 0}, {10, 0}), 4);  // sqrt(10) = 3.16 rounds up
  EXPECT_EQ(first_edge(Metric::att, {0, 0}, {12, 4}), 4);  // sqrt(16) stays
  EXPECT_EQ(first_edge(Metric::euc_3d, {0, 0}, {1, 2}, 2), 3);
  EXPECT_EQ(first_edge(Metric::man_3d, {0, 0}, {1, 2}, 2.4), 5);
  EXPECT_EQ(first_edge(Metric::max_3d, {0, 0}, {1, 2}, 2.5), 3);
  EXPECT_DOUBLE_EQ(first_edge(Metric::unit, {0, 0}, {1, 1}), std::sqrt(2.0));
  // A degree of latitude is 6378.388 * pi / 180 = 111.3 km, and a whole kilometre is added before cutting.
  EXPECT_EQ(first_edge(Metric::geo, {10, 20}, {11, 20}), 112);
  EXPECT_EQ(first_edge(Metric::geo, {10.30, 20}, {11, 20}), 56);  // 30 minutes are half a degree: 55.7
  EXPECT_EQ(first_edge(Metric::geo, {-10.30, 20}, {-11, 20}), 56);
  EXPECT_EQ(first_edge(Metric::geo, {10, 20}, {10, 20}), 1);  // so says the convention
}

TEST(Distance, RoutesAreClosed) {
  const Instance tsp = parse_instance(samples::tsp("EUC_2D", samples::plane), "file");
  EXPECT_EQ(solution_cost(tsp, {{{0, 1}}}), 10);
  EXPECT_EQ(solution_cost(tsp, {{{2}}}), 0);
  const Instance vrp = parse_instance(samples::vrp(), "file");
  EXPECT_EQ(solution_cost(vrp, {{{0}, {}, {3}}}), 2 * 5 + 2 * 8);
}

fs::path library(const char* name) { return fs::path(NEUOPT_SHARED) / "instances" / name; }

TEST(Libraries, StatedCostsOfCvrplibAreExact) {
  if (!fs::exists(library("cvrplib"))) GTEST_SKIP() << "no CVRPLIB instances here";
  int pairs = 0;
  for (const auto& entry : fs::directory_iterator(library("cvrplib"))) {
    fs::path path = entry.path();
    if (path.extension() != ".vrp") continue;
    SCOPED_TRACE(path.string());
    std::vector<std::string> warnings;
    const Instance instance =
        read_instance_file(path.string(), [&](const std::string& warning) { warnings.push_back(warning); });
    EXPECT_EQ(warnings, std::vector<std::string>{});
    const SolutionFile stated = read_solution_file(path.replace_extension(".sol").string(), instance);
    ASSERT_TRUE(stated.cost);
    EXPECT_EQ(solution_cost(instance, stated.solution), *stated.cost);
    ++pairs;
  }
  EXPECT_GT(pairs, 0);
}

TEST(Libraries, AllTsplibFilesParseAndRoundTrip) {
  if (!fs::exists(library("tsplib"))) GTEST_SKIP() << "no TSPLIB instances here";
  for (const auto& entry : fs::directory_iterator(library("tsplib"))) {
    if (entry.path().extension() != ".tsp") continue;
    SCOPED_TRACE(entry.path().string());
    const Instance instance = read_instance_file(entry.path().string());
    const std::string written = write_instance(instance);
    EXPECT_EQ(write_instance(parse_instance(written, "written")), written);
  }
}

TEST(Libraries, CanonicalTourOfPcb442) {
  const fs::path path = library("tsplib") / "pcb442.tsp";
  if (!fs::exists(path)) GTEST_SKIP() << "no " << path;
  const Instance instance = read_instance_file(path.string());
  Solution solution{{std::vector<int>(static_cast<std::size_t>(instance.size))}};
  std::iota(solution.routes[0].begin(), solution.routes[0].end(), 0);
  EXPECT_EQ(solution_cost(instance, solution), 221440);
}

/// The shortest tour by dynamic programming over subsets.
double optimal_cost(const Instance& instance) {
  const int last = instance.size - 1;  // every tour starts and ends there
  const std::size_t subsets = std::size_t{1} << last;
  std::vector<double> best(subsets * last, std::numeric_limits<double>::infinity());
  for (int i = 0; i < last; ++i) best[(std::size_t{1} << i) * last + i] = instance.distance(last, i);
  for (std::size_t subset = 1; subset < subsets; ++subset) {
    for (int i = 0; i < last; ++i) {
      if (!(subset >> i & 1)) continue;
      for (int j = 0; j < last; ++j) {
        if (subset >> j & 1) continue;
        double& longer = best[(subset | std::size_t{1} << j) * last + j];
        longer = std::min(longer, best[subset * last + i] + instance.distance(i, j));
      }
    }
  }
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < last; ++i) {
    shortest = std::min(shortest, best[(subsets - 1) * last + i] + instance.distance(i, last));
  }
  return shortest;
}

TEST(Libraries, PublishedOptimaOfTheSmallestInstances) {
  const std::pair<const char*, double> optima[] = {{"burma14", 3323}, {"ulysses16", 6859}, {"gr17", 2085}};
  for (const auto& [name, cost] : optima) {
    const fs::path path = library("tsplib") / (std::string(name) + ".tsp");
    if (!fs::exists(path)) GTEST_SKIP() << "no " << path;
    EXPECT_EQ(optimal_cost(read_instance_file(path.string())), cost) << name;
  }
}

}  // namespace
}  // namespace neuopt
