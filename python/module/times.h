// Time windows and roundings of instances in Python.
#pragma once

#include <memory>

#include "arrays.h"
#include "module.h"

namespace neuopt::python {

using InstanceClass = py::class_<Instance, std::shared_ptr<Instance>>;

/// The metric of a rounding. Throws InputError when there is none of that name.
Metric checked_rounding(const std::string& name);

/// Rounds the distances of coordinates in the plane. Throws InputError when distances are others.
void set_rounding(Instance& instance, const std::string& name, bool has_matrix);

/// Makes a VRPTW of a CVRP: windows (nodes, 2), service times of all nodes, of the customers alone, or one for all of
/// them; missing ones are 0. Nothing without either. Throws InputError when shapes do not fit, or windows are missing.
void set_times(Instance& instance, const std::optional<Array>& windows, const std::optional<Array>& service);

/// All windows in one list, opening and closing in turn.
std::vector<double> window_values(const Instance& instance);

/// Adds time_windows and service_times.
void add_times(InstanceClass& type);

/// For each route (departure, back, wait, late, stops), a stop being (node, arrival, start, departure, wait, load,
/// late).
py::list schedules_of(const Instance& instance, const std::vector<std::vector<int>>& routes);

}  // namespace neuopt::python
