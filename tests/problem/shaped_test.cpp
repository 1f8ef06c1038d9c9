// Shaped instances: each layout is what its name says, and a whole instance is one the search can start from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "core/checksum.h"
#include "core/error.h"
#include "env/host_instance.h"
#include "problem/generate.h"
#include "problem/normalize.h"
#include "problem/shaped_instance.h"
#include "problem/size_rules.h"
#include "problem/start.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

constexpr std::uint64_t kSeed = 11;
constexpr int kCustomers = 100;

ShapedTraits traits_of(std::uint64_t index, int customers = kCustomers) {
  return draw_traits(ShapedWords{Random{kSeed}, index}, customers);
}

/// Numbers of instances of one layout among the first 400.
std::vector<std::uint64_t> numbers_of(NodeLayout layout) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t index = 0; index < 400; ++index)
    if (traits_of(index).layout == layout) numbers.push_back(index);
  return numbers;
}

double mean_nearest_distance(const Instance& instance) {
  double sum = 0;
  for (int from = 0; from < instance.size; ++from) {
    double nearest = 2;
    for (int to = 0; to < instance.size; ++to)
      if (to != from) nearest = std::min(nearest, instance.distance(from, to));
    sum += nearest / instance.size;
  }
  return sum;
}

double extent(const Instance& instance, double Point::*axis) {
  const auto [low, high] =
      std::minmax_element(instance.coordinates.begin(), instance.coordinates.end(),
                          [&](const Point& left, const Point& right) { return left.*axis < right.*axis; });
  return *high.*axis - *low.*axis;
}

double shorter_side(const Instance& instance) {
  return std::min(extent(instance, &Point::x), extent(instance, &Point::y));
}

/// Mean of a quantity over the TSP instances of a layout.
template <class Quantity>
double layout_mean(NodeLayout layout, Quantity&& quantity) {
  const std::vector<std::uint64_t> numbers = numbers_of(layout);
  double sum = 0;
  for (const std::uint64_t index : numbers)
    sum += quantity(generate_shaped(ProblemKind::tsp, kCustomers, kSeed, index));
  return sum / static_cast<double>(numbers.size());
}

template <class Quantity>
double uniform_mean(Quantity&& quantity) {
  constexpr int kCount = 100;
  double sum = 0;
  for (std::uint64_t index = 0; index < kCount; ++index)
    sum += quantity(generate_uniform(ProblemKind::tsp, kCustomers, kSeed, index));
  return sum / kCount;
}

TEST(Shaped, EveryLayoutOccursEquallyOften) {
  for (const NodeLayout layout : {NodeLayout::clusters, NodeLayout::stretched, NodeLayout::stretched_clusters,
                                  NodeLayout::lattice, NodeLayout::pattern})
    EXPECT_NEAR(numbers_of(layout).size(), 80, 6 * 8) << static_cast<int>(layout);  // six standard deviations
}

TEST(Shaped, NodesOfClustersAreCloseTogether) {
  EXPECT_LT(layout_mean(NodeLayout::clusters, mean_nearest_distance), 0.7 * uniform_mean(mean_nearest_distance));
  EXPECT_GT(layout_mean(NodeLayout::clusters, shorter_side), 0.6);
}

TEST(Shaped, ClustersHaveTheDrawnSpreadAndBackground) {
  for (const std::uint64_t index : numbers_of(NodeLayout::clusters)) {
    const ShapedWords words{Random{kSeed}, index};
    const ShapedTraits traits = traits_of(index);
    const double reach = 3.47 * traits.spread / 1000 * kBoardSide;
    int outside = 0;
    for (std::uint32_t node = 0; node < kCustomers; ++node) {
      const BoardPlace place = draw_place(words, traits, node);
      bool inside = false;
      for (int cluster = 0; cluster < traits.clusters; ++cluster) {
        const BoardPlace centre = uniform_place(words.draw(ShapedWords::centre, static_cast<std::uint32_t>(cluster)));
        inside = inside || std::max(std::abs(place.x - centre.x), std::abs(place.y - centre.y)) <= reach;
      }
      outside += !inside;
    }
    EXPECT_LE(outside, kCustomers * traits.background / 1000.0 + 25) << index;  // five standard deviations
  }
  double sum = 0, squares = 0;
  constexpr int kDraws = 20000;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    const Philox4 words = Random{kSeed}.words(Draw::test, 0, 0, draw, 0);
    const double offset = spread_offset(words.word[0], words.word[1], 50) / (0.05 * kBoardSide);
    sum += offset / kDraws;
    squares += offset * offset / kDraws;
  }
  EXPECT_NEAR(sum, 0, 6 * 0.0071);
  EXPECT_NEAR(squares, 1, 6 * 0.0085);
}

TEST(Shaped, StretchedInstancesAreAsFlatAsDrawn) {
  for (const std::uint64_t index : numbers_of(NodeLayout::stretched)) {
    const ShapedTraits traits = traits_of(index);
    const Instance instance = generate_shaped(ProblemKind::tsp, kCustomers, kSeed, index);
    const double shorter = extent(instance, traits.flat ? &Point::y : &Point::x);
    EXPECT_EQ(extent(instance, traits.flat ? &Point::x : &Point::y), 1);
    EXPECT_NEAR(shorter, traits.stretch / 1000.0, 0.15 * shorter) << index;
  }
  EXPECT_GT(uniform_mean(shorter_side), 0.9);
}

TEST(Shaped, StretchedClustersAreBoth) {
  EXPECT_LT(layout_mean(NodeLayout::stretched_clusters, shorter_side), 0.5);
  EXPECT_LT(layout_mean(NodeLayout::stretched_clusters, mean_nearest_distance),
            0.8 * layout_mean(NodeLayout::stretched, mean_nearest_distance));
}

TEST(Shaped, PatternsAreRepeatedAndHaveNoPlaceTwice) {
  for (const std::uint64_t index : numbers_of(NodeLayout::pattern)) {
    const ShapedTraits traits = traits_of(index);
    const Instance instance = generate_shaped(ProblemKind::tsp, kCustomers, kSeed, index);
    EXPECT_EQ(diagnose(instance).duplicate_points, 0) << index;
    const auto from_first_of_copy = [&](int node) {
      const Point first = instance.coordinates[static_cast<std::size_t>(node / traits.pattern * traits.pattern)];
      const Point point = instance.coordinates[static_cast<std::size_t>(node)];
      return Point{point.x - first.x, point.y - first.y};
    };
    for (int node = traits.pattern; node < kCustomers; ++node) {
      const Point here = from_first_of_copy(node), before = from_first_of_copy(node % traits.pattern);
      EXPECT_NEAR(here.x, before.x, 1e-6) << index << ' ' << node;
      EXPECT_NEAR(here.y, before.y, 1e-6) << index << ' ' << node;
    }
  }
}

TEST(Shaped, LatticesHaveRowsAndNoPlaceTwice) {
  for (const std::uint64_t index : numbers_of(NodeLayout::lattice)) {
    const int side = traits_of(index).lattice_side;
    ASSERT_TRUE(side >= 10 && side <= 40) << side;
    std::set<double> columns, rows;
    const Instance instance = generate_shaped(ProblemKind::tsp, kCustomers, kSeed, index);
    for (const Point& point : instance.coordinates) {
      columns.insert(point.x);
      rows.insert(point.y);
    }
    EXPECT_LE(columns.size(), static_cast<std::size_t>(side));
    EXPECT_LE(rows.size(), static_cast<std::size_t>(side));
    EXPECT_EQ(diagnose(instance).duplicate_points, 0) << index;
  }
}

TEST(Shaped, FullLatticeHasANodeAtEveryPlace) {
  const ShapedWords words{Random{kSeed}, 0};
  std::set<std::pair<int, int>> places;
  int unmoved = 0;
  for (std::uint32_t node = 0; node < 49; ++node) {
    const BoardPlace place = lattice_place(words, 7, node);
    EXPECT_TRUE(place.x >= 0 && place.x < 7 && place.y >= 0 && place.y < 7);
    places.emplace(place.x, place.y);
    unmoved += static_cast<std::uint32_t>(7 * place.y + place.x) == node;
  }
  EXPECT_EQ(places.size(), 49u);
  EXPECT_LT(unmoved, 10);
}

TEST(Shaped, DemandsAreOfTheDrawnKind) {
  std::map<DemandKind, std::set<int>> seen;
  for (std::uint64_t index = 0; index < 200; ++index)
    for (std::uint32_t customer = 0; customer < kCustomers; ++customer)
      seen[traits_of(index).demand].insert(draw_demand(ShapedWords{Random{kSeed}, index}, traits_of(index), customer));
  const auto expect_range = [&](DemandKind kind, int low, int high) {
    ASSERT_FALSE(seen[kind].empty());
    EXPECT_EQ(*seen[kind].begin(), low);
    EXPECT_EQ(*seen[kind].rbegin(), high);
    EXPECT_EQ(static_cast<int>(seen[kind].size()), high - low + 1);
  };
  expect_range(DemandKind::equal, 1, 1);
  expect_range(DemandKind::up_to_9, 1, 9);
  expect_range(DemandKind::up_to_100, 1, 100);
  expect_range(DemandKind::from_50_to_100, 50, 100);
  std::set<int>& few_large = seen[DemandKind::few_large];
  EXPECT_EQ(few_large.size(), 61u);
  EXPECT_TRUE(few_large.contains(10) && few_large.contains(50) && !few_large.contains(11));
}

TEST(Shaped, DepotLiesWhereItsKindSays) {
  std::map<DepotPlace, int> seen;
  for (std::uint64_t index = 0; index < 60; ++index) {
    const Instance instance = generate_shaped(ProblemKind::cvrp, kCustomers, kSeed, index);
    Point low{1, 1}, high{0, 0};
    for (int node = 1; node < instance.size; ++node) {
      const Point& point = instance.coordinates[node];
      low = {std::min(low.x, point.x), std::min(low.y, point.y)};
      high = {std::max(high.x, point.x), std::max(high.y, point.y)};
    }
    const Point depot = instance.coordinates[0];
    const bool corner = (depot.x == low.x || depot.x == high.x) && (depot.y == low.y || depot.y == high.y);
    const double from_centre = std::max(std::fabs(depot.x - 0.5), std::fabs(depot.y - 0.5));
    const DepotPlace place = traits_of(index).depot;
    EXPECT_TRUE(depot.x >= low.x && depot.x <= high.x && depot.y >= low.y && depot.y <= high.y) << index;
    EXPECT_EQ(corner, place == DepotPlace::corner) << index;
    if (place == DepotPlace::centre) {
      EXPECT_LT(from_centre, 0.06) << index;  // half a place of a coarse lattice
    }
    ++seen[place];
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST(Shaped, LoadsCoverTheRange) {
  double least = 1, most = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Instance instance = generate_shaped(ProblemKind::cvrp, kCustomers, kSeed, index);
    const double load =
        diagnose(instance).total_demand / instance.capacity / usual_depots(ProblemKind::cvrp, kCustomers);
    EXPECT_LE(load, 0.75);
    least = std::min(least, load);
    most = std::max(most, load);
  }
  EXPECT_LT(least, 0.25);
  EXPECT_GT(most, 0.65);
}

TEST(Shaped, CapacityGrowsUntilTheStandardStartHasRoom) {
  // With capacity 100 the load is the drawn one, but every route ends with 71: the next 30 do not fit.
  std::vector<float> demand(19, 0);
  for (int repeat = 0; repeat < 20; ++repeat) demand.insert(demand.end(), {30, 30, 11});
  const ShapedView view{19, 60, nullptr, nullptr, demand.data()};
  ShapedTraits traits = traits_of(0);
  traits.load = 750;
  ASSERT_EQ(routes_in_order(view, 100), 20);
  const int capacity = shaped_capacity(view, traits);
  EXPECT_TRUE(capacity > 100 && capacity < 110) << capacity;
  EXPECT_LE(routes_in_order(view, capacity), 19);
}

TEST(Shaped, StandardStartIsFeasible) {
  for (const int customers : {5, 20, 100})
    for (std::uint64_t index = 0; index < 100; ++index) {
      const Instance instance = generate_shaped(ProblemKind::cvrp, customers, kSeed, index);
      const SearchInstance search = make_search_instance(instance);
      const Solution start = to_solution(search, env::standard_start(search, Random{1}, 0, 0));
      EXPECT_TRUE(verify(instance, start).feasible) << instance.name;
      EXPECT_LE(static_cast<int>(start.routes.size()), usual_depots(ProblemKind::cvrp, customers)) << instance.name;
    }
}

TEST(Shaped, LiesInTheUnitSquareAsTheSearchWouldPlaceIt) {
  for (std::uint64_t index = 0; index < 40; ++index) {
    const Instance instance = generate_shaped(ProblemKind::cvrp, kCustomers, kSeed, index);
    Instance elsewhere = instance;
    for (Point& point : elsewhere.coordinates) point = {5000 + 300 * point.x, 300 * point.y - 70};
    const SearchInstance here = make_search_instance(instance), moved = make_search_instance(elsewhere);
    for (int node = 0; node < here.size(); ++node) {
      EXPECT_EQ(here.x[node], static_cast<float>(instance.coordinates[here.node_of[node]].x));
      EXPECT_NEAR(here.x[node], moved.x[node], 1e-6);
      EXPECT_NEAR(here.y[node], moved.y[node], 1e-6);
    }
  }
}

TEST(Shaped, DependsOnSeedAndIndexAndNothingElse) {
  const auto first = [](std::uint64_t seed, std::uint64_t index) {
    return generate_shaped(ProblemKind::tsp, kCustomers, seed, index).coordinates[0].x;
  };
  EXPECT_EQ(first(1, 5), first(1, 5));
  EXPECT_NE(first(1, 5), first(2, 5));
  EXPECT_NE(first(1, 5), first(1, 6));
  EXPECT_NE(first(1, 5), first(1, 5 + (1ull << 32)));
}

/// What was generated once stays so: runs and sets are known by their seeds. A change of this number must be meant.
TEST(Shaped, HasNotChanged) {
  Checksum checksum;
  for (std::uint64_t index = 0; index < 50; ++index) {
    const Instance instance = generate_shaped(ProblemKind::cvrp, 50, 1, index);
    checksum.add(instance.coordinates.data(), instance.coordinates.size() * sizeof(Point));
    checksum.add(instance.demand.data(), instance.demand.size() * sizeof(double));
    checksum.add(&instance.capacity, sizeof(double));
  }
  EXPECT_EQ(checksum.value(), 9620071583663933032u);
}

TEST(Shaped, SmallestSizesWork) {
  for (std::uint64_t index = 0; index < 20; ++index) {
    EXPECT_EQ(generate_shaped(ProblemKind::tsp, 1, kSeed, index).size, 1);
    EXPECT_TRUE(diagnose(generate_shaped(ProblemKind::cvrp, 1, kSeed, index)).solvable);
  }
  EXPECT_THROW(generate_shaped(ProblemKind::tsp, 0, 1, 0), InputError);
}

}  // namespace
}  // namespace neuopt
