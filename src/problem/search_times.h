// The times of an instance as the search counts them: whole ticks since the depot opens. Travel is rounded up and
// windows inward, so that what keeps to them keeps to those of the file.
#pragma once

#include <vector>

#include "problem/instance.h"
#include "problem/route_clock.h"
#include "problem/search_instance.h"

namespace neuopt {

struct SearchTimes {
  std::vector<StopTimes> stops;  // one for each node of the Instance
  TickRule rule;
  double tick = 1;  // length of a tick in the units of the file
};

/// Ticks are tenths where distances are cut after one decimal, units where they are whole numbers, provided that all
/// windows and service times are multiples of them, and days and legs not too long for the search's numbers; otherwise
/// a power of two of which a day has millions. `cost_scale` is the search's. The instance is valid and has windows.
SearchTimes make_search_times(const Instance& instance, double cost_scale);

/// Who can be served alone by the file can be served alone in ticks: gives back what rounding took, by the travel times
/// of the search. `search` is complete, with one depot.
void allow_lone_visits(SearchInstance& search);

}  // namespace neuopt
