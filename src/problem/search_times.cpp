#include "problem/search_times.h"

#include <algorithm>
#include <cmath>

#include "core/numbers.h"

namespace neuopt {
namespace {

constexpr double kLongestDay = 0x1p28;  // ticks

/// Ticks in a unit of the file in which all its times are whole numbers; 0: there is no such number.
double exact_ticks(const Instance& instance) {
  const double ticks = instance.metric == Metric::dimacs_2d ? 10 : 1;
  const bool distances = instance.metric == Metric::dimacs_2d || instance.integral() ||
                         (instance.metric == Metric::explicit_matrix && all_whole(instance.matrix));
  const auto fits = [&](double time) { return is_whole(time * ticks); };
  const bool windows = std::all_of(instance.windows.begin(), instance.windows.end(),
                                   [&](const TimeWindow& window) { return fits(window.opens) && fits(window.closes); });
  const TimeWindow& day = instance.windows[static_cast<std::size_t>(instance.depot)];
  const bool short_enough = (day.closes - day.opens) * ticks < kLongestDay;
  const bool services = std::all_of(instance.service.begin(), instance.service.end(), fits);
  return distances && windows && services && short_enough ? ticks : 0;
}

/// A power of two that gives the day 2^24 to 2^25 ticks.
double fine_ticks(double day) { return day > 0 ? std::exp2(24 - std::floor(std::log2(day))) : 1; }

StopTimes rounded_inward(const TimeWindow& window, double service, const TimeWindow& day, double ticks) {
  const auto bounded = [&](double time) { return std::clamp((time - day.opens) * ticks, 0.0, kLongestDay); };
  const double last = std::floor(bounded(day.closes));
  StopTimes stop{.opens = static_cast<std::int32_t>(std::ceil(bounded(window.opens))),
                 .closes = static_cast<std::int32_t>(std::min(std::floor(bounded(window.closes)), last)),
                 .service = static_cast<std::int32_t>(std::ceil(std::min(service * ticks, kLongestDay)))};
  if (stop.opens > stop.closes) {  // shorter than a tick: begins up to one tick earlier, and takes it longer
    stop.opens = stop.closes;
    ++stop.service;
  }
  return stop;
}

/// Who can be served alone by the file can be served alone in ticks: what rounding took is given back.
void allow_lone_visits(const Instance& instance, double cost_scale, SearchTimes& times) {
  StopTimes& depot = times.stops[static_cast<std::size_t>(instance.depot)];
  for (int node = 0; node < instance.size; ++node) {
    if (node == instance.depot) continue;
    StopTimes& stop = times.stops[static_cast<std::size_t>(node)];
    const std::int32_t travel = travel_ticks(times.rule, instance.distance(instance.depot, node) / cost_scale);
    stop.closes = std::max(stop.closes, travel);
    depot.closes = std::max(depot.closes, std::max(stop.opens, travel) + stop.service + travel);
  }
}

}  // namespace

SearchTimes make_search_times(const Instance& instance, double cost_scale) {
  const TimeWindow& day = instance.windows[static_cast<std::size_t>(instance.depot)];
  const double exact = exact_ticks(instance), ticks = exact > 0 ? exact : fine_ticks(day.closes - day.opens);
  SearchTimes times;
  times.tick = 1 / ticks;
  times.rule = {.per_cost = ticks * cost_scale, .whole = exact > 0};
  for (std::size_t node = 0; node < instance.windows.size(); ++node)
    times.stops.push_back(rounded_inward(instance.windows[node], instance.service[node], day, ticks));
  if (exact == 0) allow_lone_visits(instance, cost_scale, times);
  return times;
}

}  // namespace neuopt
