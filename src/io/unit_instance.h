// Instances of the unit-square sets, put together and checked in one place whatever file they come from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "problem/instance.h"

namespace neuopt {

/// Where an instance comes from, for its name and for messages.
struct SetPosition {
  const std::string& file;
  std::size_t index;  // in the set, from 0
};

/// "FILE: instance INDEX"
std::string position_label(const SetPosition& position);

/// Nodes in the order given. Throws InputError when a coordinate is not finite.
Instance make_unit_tsp(const SetPosition& position, std::vector<Point> nodes);

/// Nodes and demands with the depot first. Throws InputError when a coordinate is not finite, the capacity is not
/// positive, or a demand is negative or above the capacity.
Instance make_unit_cvrp(const SetPosition& position, std::vector<Point> nodes, std::vector<double> demand,
                        double capacity);

/// Refuses, with InputError, what environments hold and test sets do not: demands divided by the capacity. Every tour
/// would seem feasible. Of all instances of a set.
void refuse_divided(const std::string& file, double largest_demand, double smallest_capacity);

/// When the nodes of an instance with time windows may be served, the depot first.
struct UnitTimes {
  std::vector<TimeWindow> windows;
  std::vector<double> service;
};

/// The same with time windows. Throws InputError also when a node cannot be served in its window by a vehicle of its
/// own.
Instance make_unit_vrptw(const SetPosition& position, Instance cvrp, UnitTimes times);

}  // namespace neuopt
