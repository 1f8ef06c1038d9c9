// The search's ticks beside the verifier's times: whoever can be served alone by the file can be in ticks, and what is
// in time in ticks is in time by the file.
#include "problem/search_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/philox.h"
#include "problem/normalize.h"
#include "problem/schedule.h"
#include "problem/validate.h"

namespace neuopt {
namespace {

/// Windows that leave no time to spare for a vehicle that serves nobody else: they close when it comes, or open when it
/// has to be served to be back; or those of usual length.
enum class Windows { close_at_once, open_at_last, usual };

/// Customers at whole-numbered places up to `scale` (a matrix: fractions of their distances), and a day that the
/// farthest fills.
class TimesWorld {
 public:
  TimesWorld(Metric metric, double scale, Windows windows, std::uint32_t seed) : seed_(seed) {
    instance.kind = ProblemKind::vrptw;
    instance.metric = metric;
    instance.size = 30;
    instance.capacity = 100;
    instance.demand.assign(30, 1);
    instance.demand[0] = 0;
    for (int node = 0; node < instance.size; ++node)
      instance.coordinates.push_back({std::floor(scale * draw()), std::floor(scale * draw())});
    if (metric == Metric::explicit_matrix) measure_fractions();
    set_windows(windows);
    validate(instance);
  }

  double draw() { return uniform_float(Random{seed_}.words(Draw::instance, 0, 0, ++drawn_, 0).word[0]); }

  Instance instance;

 private:
  void measure_fractions() {
    for (const Point& a : instance.coordinates)
      for (const Point& b : instance.coordinates) instance.matrix.push_back(std::hypot(a.x - b.x, a.y - b.y) / 3);
  }

  void set_windows(Windows windows) {
    double far = 0;
    for (int node = 1; node < instance.size; ++node) far = std::max(far, instance.distance(0, node));
    const double service = std::floor(far / 20), day = 2 * far + service;
    instance.windows.push_back({0, day});
    instance.service.push_back(0);
    for (int node = 1; node < instance.size; ++node) {
      const double there = instance.distance(0, node), last = day - there - service;
      TimeWindow window{0, day};
      if (windows == Windows::close_at_once) window.closes = there;
      if (windows == Windows::open_at_last) window.opens = last;
      if (windows == Windows::usual) window = {std::floor(there + draw() * (last - there)), std::ceil(last)};
      instance.windows.push_back(window);
      instance.service.push_back(service);
    }
  }

  std::uint32_t seed_, drawn_ = 0;
};

struct Places {
  Metric metric;
  double scale;
};

const Places kCases[] = {{Metric::unit, 1000},      {Metric::unit, 100},           {Metric::euc_2d, 100},
                         {Metric::euc_2d, 1e6},     {Metric::euc_2d, 1e8},         {Metric::dimacs_2d, 1e7},
                         {Metric::ceil_2d, 1e8},    {Metric::man_2d, 1e8},         {Metric::att, 1e8},
                         {Metric::dimacs_2d, 1000}, {Metric::explicit_matrix, 100}};

RouteClock drive(const SearchInstance& search, const std::vector<int>& nodes) {
  RouteClock clock;
  int last = 0;
  for (const int node : nodes) {
    clock.visit(search.travel_time(last, node), search.times[static_cast<std::size_t>(node)]);
    last = node;
  }
  clock.visit(search.travel_time(last, 0), search.times[0]);
  return clock;
}

TEST(SearchTimes, WhoCanBeServedAloneByTheFileCanBeInTicks) {
  for (const Places& at : kCases)
    for (const Windows windows : {Windows::close_at_once, Windows::open_at_last})
      for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        const TimesWorld world(at.metric, at.scale, windows, seed);
        const SearchInstance search = make_search_instance(world.instance);
        for (int node = search.depots; node < search.size(); ++node)
          ASSERT_EQ(drive(search, {node}).late, 0)
              << "metric " << static_cast<int>(at.metric) << ", scale " << at.scale << ", seed " << seed;
      }
}

/// Routes of one to five random customers in random order.
TEST(SearchTimes, WhatIsInTimeInTicksIsInTimeByTheFile) {
  int in_time = 0;
  for (const Places& at : kCases)
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      TimesWorld world(at.metric, at.scale, Windows::usual, seed);
      const SearchInstance search = make_search_instance(world.instance);
      const Scheduler scheduler(world.instance);
      for (int trial = 0; trial < 500; ++trial) {
        std::vector<int> nodes, route;
        for (int stop = 0; stop <= trial % 5; ++stop)
          nodes.push_back(search.depots + static_cast<int>(world.draw() * search.customers()));
        if (drive(search, nodes).late > 0) continue;
        for (const int node : nodes) route.push_back(search.node_of[static_cast<std::size_t>(node)]);
        const RouteSchedule day = scheduler.schedule(route);
        ++in_time;
        ASSERT_EQ(day.late, 0);
        for (const ScheduledStop& stop : day.stops) ASSERT_EQ(stop.late, 0);
      }
    }
  EXPECT_GT(in_time, 1000);
}

/// Ticks are those of the file as long as single precision knows its distances.
TEST(SearchTimes, AreExactWhereNumbersAreShort) {
  const auto is_exact = [](Metric metric, double scale) {
    return make_search_instance(TimesWorld(metric, scale, Windows::usual, 1).instance).ticks.whole;
  };
  EXPECT_TRUE(is_exact(Metric::euc_2d, 1e6));
  EXPECT_TRUE(is_exact(Metric::dimacs_2d, 1e5));
  EXPECT_FALSE(is_exact(Metric::euc_2d, 1e8));
  EXPECT_FALSE(is_exact(Metric::explicit_matrix, 100)) << "fractions";
}

}  // namespace
}  // namespace neuopt
