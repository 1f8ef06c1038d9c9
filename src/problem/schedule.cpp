#include "problem/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/numbers.h"

namespace neuopt {
namespace {

constexpr double kToleratedShare = 1e-6;  // of the day

/// Whether all times of the instance are whole numbers of such units.
bool has_whole_times(const Instance& instance, double scale) {
  const auto fits = [&](double time) { return is_whole(time * scale); };
  const bool distances =
      instance.metric == Metric::dimacs_2d || instance.integral() ||
      (instance.metric == Metric::explicit_matrix && std::all_of(instance.matrix.begin(), instance.matrix.end(), fits));
  return distances && std::all_of(instance.service.begin(), instance.service.end(), fits) &&
         std::all_of(instance.windows.begin(), instance.windows.end(),
                     [&](const TimeWindow& window) { return fits(window.opens) && fits(window.closes); });
}

}  // namespace

Scheduler::Scheduler(const Instance& instance) : instance_(instance) {
  const double scale = instance.metric == Metric::dimacs_2d ? 10 : 1;
  exact_ = has_whole_times(instance, scale);
  if (exact_) scale_ = scale;
  const TimeWindow& day = instance.windows[static_cast<std::size_t>(instance.depot)];
  if (!exact_) tolerance_ = kToleratedShare * (day.closes - day.opens);
}

double Scheduler::units(double time) const { return exact_ ? std::round(time * scale_) : time; }

double Scheduler::lateness(double at, double closes) const { return at - closes > tolerance_ ? at - closes : 0; }

RouteSchedule Scheduler::schedule(std::span<const int> route) const {
  const TimeWindow& day = instance_.windows[static_cast<std::size_t>(instance_.depot)];
  const double opens = units(day.opens);
  double now = opens;
  RouteSchedule result{.departure = day.opens, .stops = {}, .back = day.opens, .late = 0};
  if (route.empty()) return result;
  double load = 0;
  int last = instance_.depot;
  for (const int node : route) {
    const auto at = static_cast<std::size_t>(node);
    const TimeWindow& window = instance_.windows[at];
    double arrival = now + units(instance_.distance(last, node));
    const double start = std::max(arrival, units(window.opens));
    if (result.stops.empty()) {  // who would wait at the first stop leaves the depot later
      result.departure = time(opens + start - arrival);
      arrival = start;
    }
    now = start + units(instance_.service[at]);
    load += instance_.demand[at];
    result.stops.push_back({.node = node,
                            .arrival = time(arrival),
                            .start = time(start),
                            .departure = time(now),
                            .wait = time(start - arrival),
                            .load = load,
                            .late = time(lateness(start, units(window.closes)))});
    last = node;
  }
  now += units(instance_.distance(last, instance_.depot));
  result.back = time(now);
  result.late = time(lateness(now, units(day.closes)));
  return result;
}

std::vector<int> Scheduler::as_driven(std::vector<int> route) const {
  const auto lateness_of = [&](const std::vector<int>& nodes) {
    const RouteSchedule day = schedule(nodes);
    std::pair<int, double> sum{day.late > 0, day.late};
    for (const ScheduledStop& stop : day.stops) sum = {sum.first + (stop.late > 0), sum.second + stop.late};
    return sum;
  };
  std::vector<int> back(route.rbegin(), route.rend());
  return lateness_of(back) < lateness_of(route) ? back : route;
}

std::string Scheduler::wrong_times(int node) const {
  const auto at = static_cast<std::size_t>(node);
  const TimeWindow &window = instance_.windows[at], &day = instance_.windows[static_cast<std::size_t>(instance_.depot)];
  const double service = instance_.service[at];
  if (!std::isfinite(window.opens) || !std::isfinite(window.closes)) return "the time window is not finite";
  if (window.closes < window.opens)
    return fmt::format("the time window closes at {}, before it opens at {}", window.closes, window.opens);
  if (node == instance_.depot)
    return service == 0 ? "" : fmt::format("a service time of {} at the depot, expected 0", service);
  if (!(service >= 0 && std::isfinite(service)))
    return fmt::format("a service time of {}, expected 0 or more", service);
  const RouteSchedule alone = schedule({&node, 1});
  if (alone.stops[0].late > 0)
    return fmt::format("the time window closes at {}, but a vehicle cannot be there before {}", window.closes,
                       alone.stops[0].arrival);
  if (alone.late > 0)
    return fmt::format("the depot closes at {}, but a vehicle that serves it cannot be back before {}", day.closes,
                       alone.back);
  return "";
}

}  // namespace neuopt
