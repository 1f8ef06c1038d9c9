// Windows that leave no time to spare: there is a feasible answer, each customer alone, so one is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/philox.h"
#include "problem/verify.h"
#include "search_fixture.h"

namespace neuopt::search {
namespace {

/// Windows close when a vehicle that comes straight from the depot is there. No service takes time, and `width` is that
/// of the map, whose other side is 1: from a narrow one many can be served on the way to another.
Instance barely_in_time(Metric metric, double width, std::uint32_t seed) {
  Instance instance;
  instance.kind = ProblemKind::vrptw;
  instance.metric = metric;
  instance.size = 40;
  instance.capacity = 1000;
  instance.demand.assign(40, 1);
  instance.demand[0] = 0;
  instance.service.assign(40, 0);
  double day = 0;
  for (std::uint32_t node = 0; node < 40; ++node) {
    const Philox4 words = Random{seed}.words(Draw::instance, 0, 0, node, 0);
    instance.coordinates.push_back(
        {std::floor(1e8 * width * uniform_float(words.word[0])), std::floor(1e8 * uniform_float(words.word[1]))});
    instance.windows.push_back({0, instance.distance(0, static_cast<int>(node))});
    day = std::max(day, 2 * instance.windows.back().closes);
  }
  instance.windows[0].closes = std::ceil(day);
  return instance;
}

TEST(TightWindows, AreKept) {
  for (const Metric metric : {Metric::unit, Metric::dimacs_2d, Metric::ceil_2d, Metric::man_2d})
    for (const double width : {1.0, 1e-7})
      for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        const Instance instance = barely_in_time(metric, width, seed);
        for (const StartKind start : {StartKind::automatic, StartKind::random}) {
          SolveOptions options{.copies = 2, .steps = 20};
          options.start = start;
          const SolveResult result = test::search_set({&instance, 1}, options).at(0);
          EXPECT_TRUE(result.feasible) << "metric " << static_cast<int>(metric) << ", width " << width << ", seed "
                                       << seed << ": " << verify(instance, result.solution).findings.front();
        }
      }
}

}  // namespace
}  // namespace neuopt::search
