#include "search/timetable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "problem/generate.h"
#include "problem/normalize.h"
#include "problem/start.h"

namespace neuopt::search {
namespace {

/// Small whole numbers, so that vehicles often come when a window closes.
Instance coarse(Instance instance) {
  instance.metric = Metric::euc_2d;
  for (Point& point : instance.coordinates) point = {std::round(20 * point.x), std::round(20 * point.y)};
  for (TimeWindow& window : instance.windows)
    window = {std::floor(20 * window.opens), std::ceil(20 * window.closes) + 2};
  for (double& service : instance.service) service = std::round(20 * service);
  instance.windows[0].closes += 4;
  return instance;
}

/// Every customer at every place of routes that are in time one way, and of some that are late both ways.
TEST(Timetable, AgreesWithDrivingTheRoute) {
  int in_time_along = 0, in_time_turned = 0, late = 0;
  for (std::uint64_t number = 0; number < 20; ++number) {
    const Instance drawn = generate_uniform(ProblemKind::vrptw, 40, 7, number);
    const Instance instance = number % 2 == 0 ? drawn : coarse(drawn);
    const SearchInstance view = make_search_instance(instance);
    std::vector<int> customers(static_cast<std::size_t>(view.customers()));
    std::iota(customers.begin(), customers.end(), view.depots);
    std::vector<std::vector<int>> routes = cut_to_fit(view, customers);
    routes.emplace_back(customers.begin(), customers.begin() + 10);
    for (std::vector<int>& route : routes)
      for (const bool turned : {false, true}) {
        if (turned) std::reverse(route.begin(), route.end());
        const Timetable times(view, route);
        for (const int customer : customers)
          for (std::size_t place = 0; place <= route.size(); ++place) {
            std::vector<int> with = route;
            with.insert(with.begin() + static_cast<std::ptrdiff_t>(place), customer);
            const bool expected = in_time(view, with);
            ASSERT_EQ(times.in_time_with(customer, place), expected);
            (!expected ? late : turned ? in_time_turned : in_time_along) += 1;
          }
      }
  }
  EXPECT_GT(std::min({in_time_along, in_time_turned, late}), 1000) << "the test asks for little";
}

}  // namespace
}  // namespace neuopt::search
