#include "problem/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/numbers.h"

namespace neuopt {
namespace {

constexpr double kToleratedShare = 1e-6;  // of the day

}  // namespace

double whole_time_units(const Instance& instance) {
  const double units = instance.metric == Metric::dimacs_2d ? 10 : 1;
  const auto fits = [&](double time) { return is_whole(time * units); };
  const bool distances = instance.metric == Metric::dimacs_2d || instance.integral() ||
                         (instance.metric == Metric::explicit_matrix && all_whole(instance.matrix));
  const bool whole = distances && std::all_of(instance.service.begin(), instance.service.end(), fits) &&
                     std::all_of(instance.windows.begin(), instance.windows.end(),
                                 [&](const TimeWindow& window) { return fits(window.opens) && fits(window.closes); });
  return whole ? units : 0;
}

Scheduler::Scheduler(const Instance& instance) : instance_(instance) {
  const double units = whole_time_units(instance);
  exact_ = units > 0;
  if (exact_) scale_ = units;
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

std::vector<std::vector<int>> Scheduler::in_time(std::vector<int> route) const {
  std::vector<std::vector<int>> routes(1);
  while (route.size() > 1) {
    const RouteSchedule day = schedule(route);
    const auto late =
        std::find_if(day.stops.begin(), day.stops.end(), [](const ScheduledStop& stop) { return stop.late > 0; });
    if (late == day.stops.end() && day.late == 0) break;
    const auto taken = route.begin() + std::min(late - day.stops.begin(), std::ssize(route) - 1);
    routes.push_back({*taken});
    route.erase(taken);
  }
  routes.front() = std::move(route);
  return routes;
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
