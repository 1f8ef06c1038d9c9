// What is asked of every set of instances that was read.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/error.h"
#include "io/test_set.h"

namespace neuopt::fuzz {

inline bool consistent(const Instance& instance) {
  const auto nodes = static_cast<std::size_t>(instance.size);
  const ProblemTraits problem = traits(instance.kind);
  return instance.coordinates.size() == nodes && instance.demand.size() == (problem.demands ? nodes : 0) &&
         instance.windows.size() == (problem.windows ? nodes : 0) && instance.service.size() == instance.windows.size();
}

/// Places that a written file holds as they are. Others move a little, and a customer may then be too far away.
inline bool in_single_precision(const Instance& instance) {
  const auto exact = [](double value) { return static_cast<float>(value) == value; };
  return std::all_of(instance.coordinates.begin(), instance.coordinates.end(),
                     [&](const Point& point) { return exact(point.x) && exact(point.y); });
}

inline bool same(const Instance& a, const Instance& b) {
  const auto same_window = [](const TimeWindow& one, const TimeWindow& other) {
    return one.opens == other.opens && one.closes == other.closes;
  };
  return a.demand == b.demand && a.service == b.service &&
         std::equal(a.windows.begin(), a.windows.end(), b.windows.begin(), b.windows.end(), same_window);
}

/// The bytes are instances that are consistent, or an InputError; a set that was written reads back.
inline void check_test_set(const std::string& bytes) {
  std::vector<Instance> instances;
  std::string written;
  try {
    instances = parse_test_set(bytes, "input");
    if (!std::all_of(instances.begin(), instances.end(), consistent)) std::abort();
    written = format_test_set(instances);
  } catch (const InputError&) {
    return;
  }
  if (!std::all_of(instances.begin(), instances.end(), in_single_precision)) return;
  // Outside the try: what we wrote ourselves must be readable.
  const std::vector<Instance> again = parse_test_set(written, "written");
  if (!std::equal(instances.begin(), instances.end(), again.begin(), again.end(), same)) std::abort();
}

}  // namespace neuopt::fuzz
