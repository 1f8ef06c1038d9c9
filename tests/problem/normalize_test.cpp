#include "problem/normalize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/philox.h"
#include "env/host_instance.h"
#include "problem/embed.h"
#include "problem/generate.h"
#include "problem/packing.h"
#include "problem/size_rules.h"

namespace neuopt {
namespace {

/// A rounded Euclidean CVRP, wide and low, its depot in the middle of the list.
Instance wide_instance() {
  Instance instance;
  instance.kind = ProblemKind::cvrp;
  instance.metric = Metric::euc_2d;
  instance.size = 5;
  instance.depot = 2;
  instance.capacity = 10;
  instance.coordinates = {{100, 40}, {300, 40}, {200, 60}, {250, 50}, {150, 80}};
  instance.demand = {3, 4, 0, 10, 5};
  return instance;
}

Instance matrix_instance(const std::vector<Point>& points) {
  Instance instance;
  instance.metric = Metric::explicit_matrix;
  instance.size = static_cast<int>(points.size());
  for (const Point& a : points)
    for (const Point& b : points) instance.matrix.push_back(std::hypot(a.x - b.x, a.y - b.y));
  return instance;
}

TEST(Normalize, PutsDepotsFirstAndKeepsTheCustomersInOrder) {
  const SearchInstance search = make_search_instance(wide_instance(), {.min_depots = 6});
  EXPECT_EQ(search.depots, 6);
  EXPECT_EQ(search.node_of, (std::vector<int>{2, 2, 2, 2, 2, 2, 0, 1, 3, 4}));
  EXPECT_EQ(search.demand, (std::vector<float>{0, 0, 0, 0, 0, 0, 0.3f, 0.4f, 1.0f, 0.5f}));
}

TEST(Normalize, KeepsTheAspectRatio) {
  const SearchInstance search = make_search_instance(wide_instance(), {.min_depots = 6});
  // 200 wide and 40 high: the width becomes 1, the height 0.2, centred.
  EXPECT_FLOAT_EQ(search.x[6], 0);
  EXPECT_FLOAT_EQ(search.x[7], 1);
  EXPECT_FLOAT_EQ(search.y[6], 0.4f);
  EXPECT_FLOAT_EQ(search.y[9], 0.6f);
  EXPECT_FLOAT_EQ(search.x[0], 0.5f);
}

TEST(Normalize, CountsWhatTheFileCounts) {
  const Instance instance = wide_instance();
  const SearchInstance search = make_search_instance(instance);
  int exponent = 0;
  EXPECT_EQ(std::frexp(search.cost_scale, &exponent), 0.5) << "a power of two";
  for (int from = 0; from < search.size(); ++from)
    for (int to = 0; to < search.size(); ++to)
      EXPECT_EQ(search.edge_cost(from, to) * search.cost_scale,
                instance.distance(search.node_of[from], search.node_of[to]));
  // The values are of the order of lengths in the unit square.
  EXPECT_GT(search.edge_cost(search.depots, search.depots + 1), 0.7);
  EXPECT_LT(search.edge_cost(search.depots, search.depots + 1), 1.5);
}

TEST(Normalize, LeavesUnitSquareSetsAsTheyAre) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 50, 1, 0);
  const SearchInstance search = make_search_instance(instance);
  EXPECT_EQ(search.cost_scale, 1);
  EXPECT_TRUE(search.matrix.empty());
  for (int node = 0; node < 50; ++node) {
    EXPECT_EQ(search.x[node], static_cast<float>(instance.coordinates[node].x));
    EXPECT_EQ(search.y[node], static_cast<float>(instance.coordinates[node].y));
  }
}

TEST(Normalize, ScalesUnitMetricFromOutsideTheSquare) {
  Instance instance;
  instance.size = 3;
  instance.coordinates = {{-10, 0}, {30, 0}, {10, 5}};
  const SearchInstance search = make_search_instance(instance);
  EXPECT_EQ(search.cost_scale, 40);
  EXPECT_NEAR(search.edge_cost(0, 2) * search.cost_scale, instance.distance(0, 2), 1e-5);
}

TEST(Normalize, ScalesUnitMetricFromASmallCorner) {
  Instance instance;
  instance.size = 3;
  for (const double side : {1e-3, 1e-6}) {
    instance.coordinates = {{0.45, 0.45}, {0.45 + side, 0.45}, {0.45, 0.45 + side / 2}};
    const SearchInstance search = make_search_instance(instance);
    EXPECT_NEAR(search.cost_scale, side, 1e-9 * side);
    for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {0, 2}})
      EXPECT_NEAR(search.edge_cost(a, b) * search.cost_scale, instance.distance(a, b), 1e-6 * side);
  }
}

TEST(Normalize, SurvivesOnePlaceForAll) {
  Instance instance;
  instance.size = 3;
  instance.metric = Metric::euc_2d;
  instance.coordinates = {{7, 7}, {7, 7}, {7, 7}};
  const SearchInstance search = make_search_instance(instance);
  for (int node = 0; node < 3; ++node) EXPECT_FLOAT_EQ(search.x[node], 0.5f);
  EXPECT_EQ(search.edge_cost(0, 1), 0);
}

TEST(Normalize, PlacesAMatrixInThePlane) {
  std::vector<Point> points;
  for (int i = 0; i < 40; ++i) points.push_back({100 * std::cos(i * 0.7) * i, 60 * std::sin(i * 1.3) * i});
  const Instance instance = matrix_instance(points);
  const SearchInstance search = make_search_instance(instance);
  // The distances come from points in a plane, so that their shape is found again up to a turn, a mirror and a scale.
  double scale = 0;
  for (int from = 0; from < 40; ++from)
    for (int to = 0; to < from; ++to) {
      const double placed = std::hypot(search.x[from] - search.x[to], search.y[from] - search.y[to]);
      if (scale == 0) scale = instance.distance(from, to) / placed;
      EXPECT_NEAR(placed * scale, instance.distance(from, to), 1e-3 * scale);
    }
  EXPECT_EQ(*std::max_element(search.x.begin(), search.x.end()) - *std::min_element(search.x.begin(), search.x.end()),
            1);
  EXPECT_EQ(make_search_instance(instance).x, search.x) << "deterministic";
}

TEST(Normalize, PlacesDistancesThatNoPointsHave) {
  // Violates the triangle inequality badly: the leading eigenvalue is negative.
  Instance instance;
  instance.metric = Metric::explicit_matrix;
  instance.size = 6;
  for (int from = 0; from < 6; ++from)
    for (int to = 0; to < 6; ++to) instance.matrix.push_back(from == to ? 0 : (from + to) % 3 == 0 ? 100 : 1);
  const SearchInstance search = make_search_instance(instance);
  for (int node = 0; node < 6; ++node) {
    EXPECT_GE(search.x[node], 0);
    EXPECT_LE(search.x[node], 1);
    EXPECT_GE(search.y[node], 0);
    EXPECT_LE(search.y[node], 1);
  }
}

TEST(Normalize, UsesThePapersDepotsForUniformSets) {
  for (const int customers : {20, 50, 100, 200})
    for (int index = 0; index < 20; ++index)
      EXPECT_EQ(make_search_instance(generate_uniform(ProblemKind::cvrp, customers, 1, index)).depots,
                usual_depots(ProblemKind::cvrp, customers));
}

TEST(Normalize, LeavesRoomForAFeasibleSolution) {
  Instance instance = generate_uniform(ProblemKind::cvrp, 100, 1, 0, 9);
  std::fill(instance.demand.begin() + 1, instance.demand.end(), 9);
  EXPECT_EQ(make_search_instance(instance).depots, 101);  // each customer needs a route of its own
  EXPECT_EQ(make_search_instance(instance, {.min_depots = 150}).depots, 150);
}

TEST(Normalize, PadsWithFurtherDepots) {
  const SearchInstance plain = make_search_instance(wide_instance());
  const SearchInstance padded = make_search_instance(wide_instance(), {.pad_to = plain.size() + 3});
  EXPECT_EQ(padded.size(), plain.size() + 3);
  EXPECT_EQ(padded.depots, plain.depots + 3);
  EXPECT_EQ(padded.customers(), plain.customers());
  EXPECT_EQ(padded.demand.size(), padded.x.size());
  for (int node = 0; node < padded.depots; ++node) EXPECT_EQ(padded.node_of[node], 2);
  for (int node = plain.depots; node < plain.size(); ++node) {
    EXPECT_EQ(padded.node_of[node + 3], plain.node_of[node]);
    EXPECT_EQ(padded.demand[node + 3], plain.demand[node]);
    EXPECT_EQ(padded.x[node + 3], plain.x[node]);
  }
  EXPECT_EQ(make_search_instance(wide_instance(), {.pad_to = plain.size()}).size(), plain.size());
}

TEST(Normalize, RefusesToPadWhatIsLargerOrHasNoDepots) {
  const int size = make_search_instance(wide_instance()).size();
  EXPECT_THROW(make_search_instance(wide_instance(), {.pad_to = size - 1}), InputError);
  EXPECT_THROW(make_search_instance(wide_instance(), {.min_depots = size, .pad_to = size}), InputError);
  const Instance tsp = generate_uniform(ProblemKind::tsp, 10, 1, 0);
  EXPECT_EQ(make_search_instance(tsp, {.pad_to = 10}).size(), 10);
  EXPECT_THROW(make_search_instance(tsp, {.pad_to = 9}), InputError);
  EXPECT_THROW(make_search_instance(tsp, {.pad_to = 11}), InputError);
}

TEST(Normalize, RefusesWhatCannotBeSolved) {
  Instance instance = wide_instance();
  instance.demand[3] = 11;
  EXPECT_THROW(make_search_instance(instance), InputError);
  instance.demand[3] = -1;
  EXPECT_THROW(make_search_instance(instance), InputError);
  instance = wide_instance();
  instance.capacity = 0;
  EXPECT_THROW(make_search_instance(instance), InputError);
  instance = matrix_instance({{0, 0}, {1, 0}, {0, 1}});
  instance.matrix[1] = 2;
  EXPECT_THROW(make_search_instance(instance), InputError);
  EXPECT_THROW(make_search_instance(Instance{}), InputError);
}

/// Nodes without a pattern that any of the metrics can measure.
Instance scattered_instance(Metric metric, int size) {
  Instance instance = generate_uniform(ProblemKind::cvrp, size - 1, 11, 0);
  instance.metric = metric;
  for (int node = 0; node < size; ++node) {
    Point& point = instance.coordinates[static_cast<std::size_t>(node)];
    point = {180 * point.x - 90, 250 * point.y};
    if (three_dimensional(metric)) instance.z.push_back(node % 17 * 3.7);
  }
  if (metric != Metric::explicit_matrix) return instance;
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to) instance.matrix.push_back(from == to ? 0 : std::abs(from - to) % 13 + 0.37);
  return instance;
}

TEST(Normalize, CostsAreTheSameWithAndWithoutAMatrix) {
  for (const Metric metric : {Metric::euc_2d, Metric::ceil_2d, Metric::man_2d, Metric::max_2d, Metric::euc_3d,
                              Metric::man_3d, Metric::max_3d, Metric::geo, Metric::att, Metric::explicit_matrix}) {
    const Instance instance = scattered_instance(metric, 60);
    const SearchInstance kept = make_search_instance(instance);
    const SearchInstance computed = make_search_instance(instance, {.matrix_up_to = 59});
    ASSERT_EQ(kept.file, nullptr);
    ASSERT_EQ(computed.file, &instance);
    ASSERT_TRUE(computed.matrix.empty());
    EXPECT_EQ(computed.x, kept.x);
    EXPECT_EQ(computed.cost_scale, kept.cost_scale);
    const env::InstanceView kept_view = env::view_of(kept, {}, {}), computed_view = env::view_of(computed, {}, {});
    for (int from = 0; from < kept.size(); ++from)
      for (int to = 0; to < kept.size(); ++to) {
        ASSERT_EQ(computed.edge_cost(from, to), kept.edge_cost(from, to)) << static_cast<int>(metric);
        ASSERT_EQ(env::edge_cost(computed_view, from, to), env::edge_cost(kept_view, from, to));
      }
  }
}

TEST(Normalize, KeepsNoMatrixOfManyNodes) {
  const Instance instance = scattered_instance(Metric::euc_3d, kMatrixUpTo + 1);
  const SearchInstance search = make_search_instance(instance);
  EXPECT_TRUE(search.matrix.empty());
  EXPECT_EQ(search.edge_cost(0, search.size() - 1) * search.cost_scale, instance.distance(0, instance.size - 1));
  EXPECT_FALSE(make_search_instance(scattered_instance(Metric::euc_2d, kMatrixUpTo)).matrix.empty());
}

/// The estimate from some pairs and the sum over all of them are the same power of two, unless the ratio lies between.
TEST(Normalize, EstimatesTheScaleOfManyNodes) {
  const Instance instance = scattered_instance(Metric::euc_2d, 3000);
  // The longer side of the square is close to 250.
  EXPECT_EQ(make_search_instance(instance).cost_scale, 256);
}

TEST(Normalize, PlacesManyNodesByTheirDistances) {
  Instance instance = scattered_instance(Metric::euc_3d, kEmbedAllUpTo + 200);
  std::fill(instance.z.begin(), instance.z.end(), 5);  // a plane in space
  const SearchInstance search = make_search_instance(instance);
  double scale = 0;
  for (int from = search.depots; from < search.size(); from += 7)
    for (int to = search.depots; to < from; to += 5) {
      const double placed = std::hypot(search.x[from] - search.x[to], search.y[from] - search.y[to]);
      const double distance = instance.distance(search.node_of[from], search.node_of[to]);
      if (scale == 0) scale = distance / placed;
      EXPECT_NEAR(placed * scale, distance, 2);  // distances are rounded to whole numbers, and so is the scale's
    }
}

TEST(Normalize, TellsHowFarAMatrixIsFromThePlane) {
  const Instance places = generate_uniform(ProblemKind::tsp, 30, 1, 0);
  Instance matrix;
  matrix.metric = Metric::explicit_matrix;
  matrix.size = places.size;
  matrix.matrix.resize(900);
  for (int from = 0; from < 30; ++from)
    for (int to = 0; to < 30; ++to)
      matrix.matrix[static_cast<std::size_t>(30 * from + to)] = 1000 * places.distance(from, to);
  EXPECT_LT(plane_error(make_search_instance(matrix)), 1e-3);
  for (int from = 0; from < 30; ++from)
    for (int to = 0; to < from; ++to)
      for (const int at : {30 * from + to, 30 * to + from})
        matrix.matrix[static_cast<std::size_t>(at)] = 1 + (from * from * 31 + to * to * 17 + from * to) % 1000;
  EXPECT_GT(plane_error(make_search_instance(matrix)), 0.3);
  EXPECT_EQ(plane_error(make_search_instance(places)), 0);
}

}  // namespace
}  // namespace neuopt
