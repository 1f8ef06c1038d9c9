// Times along a route of a problem with time windows, so that one more stop is timed without driving the others again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "problem/search_instance.h"

namespace neuopt::search {

class Timetable {
 public:
  /// Of customers, as search nodes of a view that must outlive this.
  Timetable(const SearchInstance& view, std::vector<int> customers) : view_(view) {
    along_ = timed(customers);
    std::reverse(customers.begin(), customers.end());
    against_ = timed(std::move(customers));
  }

  /// Whether a vehicle that drives the route one way or the other is nowhere late when a customer comes in between: at
  /// place 0 before all others. The same as in_time (problem/start.h) says of such a route.
  bool in_time_with(int customer, std::size_t place) const {
    const std::size_t last_place = along_.stops.size() - 2;
    return in_time(along_, customer, place) || in_time(against_, customer, last_place - place);
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int32_t>::max(), kBeforeAll = -kNever;

  /// The route driven one way.
  struct Drive {
    std::vector<int> stops;            // search nodes, a depot at either end
    std::vector<std::int64_t> leaves;  // when the vehicle leaves each; kNever: it was late before
    std::vector<std::int64_t> due;     // by when it must be at each to be late nowhere; kBeforeAll: it is in any case
  };

  const StopTimes& times(int node) const { return view_.times[static_cast<std::size_t>(node)]; }

  Drive timed(std::vector<int> customers) const {
    Drive drive{std::move(customers), {0}, {}};
    std::vector<int>& stops = drive.stops;
    stops.insert(stops.begin(), 0);
    stops.push_back(0);
    const std::size_t last = stops.size() - 1;
    std::vector<std::int32_t> travel(last);
    for (std::size_t i = 0; i < last; ++i) travel[i] = view_.travel_time(stops[i], stops[i + 1]);
    RouteClock clock;
    for (std::size_t i = 1; i < last; ++i) {
      clock.visit(travel[i - 1], times(stops[i]));
      drive.leaves.push_back(clock.late == 0 ? clock.time : kNever);
    }
    drive.due.resize(last + 1, times(0).closes);
    for (std::size_t i = last; i-- > 1;) {
      const StopTimes& stop = times(stops[i]);
      const std::int64_t due = std::min<std::int64_t>(stop.closes, drive.due[i + 1] - travel[i] - stop.service);
      drive.due[i] = due < stop.opens ? kBeforeAll : due;
    }
    return drive;
  }

  bool in_time(const Drive& drive, int customer, std::size_t place) const {
    const StopTimes& stop = times(customer);
    const std::int64_t arrival = drive.leaves[place] + view_.travel_time(drive.stops[place], customer);
    if (arrival > stop.closes) return false;
    const std::int64_t leaves = std::max<std::int64_t>(arrival, stop.opens) + stop.service;
    return leaves + view_.travel_time(customer, drive.stops[place + 1]) <= drive.due[place + 1];
  }

  const SearchInstance& view_;
  Drive along_, against_;
};

}  // namespace neuopt::search
