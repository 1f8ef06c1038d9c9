#include "problem/search_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/schedule.h"

namespace neuopt {
namespace {

constexpr double kLongestDay = 0x1p28;  // ticks
constexpr double kExactCosts = 0x1p24;  // whole numbers below are exact in single precision, as the search's costs are

/// No leg that keeps to the day is longer, and no two places are further apart than their ways to the depot.
double longest_leg(const Instance& instance, double day) {
  if (instance.metric == Metric::explicit_matrix)
    return std::min(day, *std::max_element(instance.matrix.begin(), instance.matrix.end()));
  double farthest = 0;
  for (int node = 0; node < instance.size; ++node)
    farthest = std::max(farthest, instance.distance(instance.depot, node));
  return std::min(day, 2 * farthest + 1);
}

/// A power of two that gives the day from 2^digits to twice as many ticks.
double binary_ticks(double day, int digits) { return day > 0 ? std::exp2(digits - std::floor(std::log2(day))) : 1; }

// Fractions may be late by a millionth of the day, which is many fine ticks. Where the verifier allows nothing, ticks
// are so long that a leg in single precision is wrong by less than travel_ticks adds.
constexpr int kFineDigits = 24, kCoarseDigits = 22;

/// Ticks in a unit of the file, and whether all its times are whole numbers of them.
std::pair<double, bool> choose_ticks(const Instance& instance) {
  const TimeWindow& window = instance.windows[static_cast<std::size_t>(instance.depot)];
  const double units = whole_time_units(instance), day = window.closes - window.opens;
  if (units > 0 && day * units < kLongestDay && longest_leg(instance, day) * units < kExactCosts) return {units, true};
  return {binary_ticks(day, units > 0 ? kCoarseDigits : kFineDigits), false};
}

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

}  // namespace

SearchTimes make_search_times(const Instance& instance, double cost_scale) {
  const TimeWindow& day = instance.windows[static_cast<std::size_t>(instance.depot)];
  const auto [ticks, exact] = choose_ticks(instance);
  SearchTimes times;
  times.tick = 1 / ticks;
  times.rule = {.per_cost = ticks * cost_scale, .whole = exact};
  for (std::size_t node = 0; node < instance.windows.size(); ++node)
    times.stops.push_back(rounded_inward(instance.windows[node], instance.service[node], day, ticks));
  return times;
}

void allow_lone_visits(SearchInstance& search) {
  if (search.times.empty() || search.ticks.whole) return;
  StopTimes& depot = search.times.front();
  for (int node = 1; node < search.size(); ++node) {
    StopTimes& stop = search.times[static_cast<std::size_t>(node)];
    const std::int32_t travel = search.travel_time(0, node);
    stop.closes = std::max(stop.closes, travel);
    depot.closes = std::max(depot.closes, std::max(stop.opens, travel) + stop.service + travel);
  }
}

}  // namespace neuopt
