#include "times.h"

#include "problem/rounding.h"
#include "problem/schedule.h"

namespace neuopt::python {

Metric checked_rounding(const std::string& name) {
  const std::optional<Metric> metric = parse_rounding(name);
  if (!metric) throw InputError(fmt::format("rounding: '{}', expected none, round, trunc or dimacs", name));
  return *metric;
}

void set_rounding(Instance& instance, const std::string& name, bool has_matrix) {
  const Metric metric = checked_rounding(name);
  if (has_matrix) throw InputError("rounding: distances of a matrix are as they are");
  if (rounding_name(instance.metric).empty())
    throw InputError("rounding: for Euclidean distances in the plane, expected metric EUC_2D or none");
  instance.metric = metric;
}

void set_times(Instance& instance, const std::optional<Array>& windows, const std::optional<Array>& service) {
  if (!windows && !service) return;
  if (!windows) throw InputError("service_times without time_windows are not supported");
  if (!traits(instance.kind).demands) throw InputError("time_windows need demands and capacity as well");
  if (windows->ndim() != 2 || windows->shape(0) != instance.size || windows->shape(1) != 2)
    throw InputError(fmt::format("time_windows has shape {}, expected ({}, 2)", shape_of(*windows), instance.size));
  instance.kind = ProblemKind::vrptw;
  for (py::ssize_t node = 0; node < instance.size; ++node)
    instance.windows.push_back({windows->at(node, 0), windows->at(node, 1)});
  instance.service.assign(static_cast<std::size_t>(instance.size), 0.0);
  if (!service) return;
  const bool one = service->size() == 1 && service->ndim() == 0;
  const bool alone = service->ndim() == 1 && service->size() == instance.customers();
  if (!one && !alone && (service->ndim() != 1 || service->size() != instance.size))
    throw InputError(
        fmt::format("service_times has shape {}, expected one number, ({},), 0 at the depot, or ({},) without it",
                    shape_of(*service), instance.size, instance.customers()));
  py::ssize_t next = 0;
  for (int node = 0; node < instance.size; ++node) {
    if (node == instance.depot && (one || alone)) continue;
    instance.service[static_cast<std::size_t>(node)] = service->data()[one ? 0 : next++];
  }
}

std::vector<double> window_values(const Instance& instance) {
  std::vector<double> numbers;
  for (const TimeWindow& window : instance.windows) numbers.insert(numbers.end(), {window.opens, window.closes});
  return numbers;
}

void add_times(InstanceClass& type) {
  type.def_property_readonly(
      "time_windows",
      [](const Instance& self) -> py::object {
        if (self.windows.empty()) return py::none();
        py::array_t<double> array({static_cast<py::ssize_t>(self.windows.size()), py::ssize_t{2}});
        const std::vector<double> numbers = window_values(self);
        std::copy(numbers.begin(), numbers.end(), array.mutable_data());
        return array;
      },
      "(nodes, 2), when service may begin; None without");
  type.def_property_readonly(
      "service_times",
      [](const Instance& self) -> py::object {
        if (self.service.empty()) return py::none();
        return py::array_t<double>(static_cast<py::ssize_t>(self.service.size()), self.service.data());
      },
      "(nodes,), 0 at the depot; None without time windows");
}

py::list schedules_of(const Instance& instance, const std::vector<std::vector<int>>& routes) {
  if (!traits(instance.kind).windows)
    throw InputError(fmt::format("a {} has no time windows", traits(instance.kind).label));
  const Scheduler scheduler(instance);
  py::list days;
  for (const std::vector<int>& route : routes) {
    for (const int node : route)
      if (node < 0 || node >= instance.size)
        throw InputError(fmt::format("node {}, expected 0 to {}", node, instance.size - 1));
    const RouteSchedule day = scheduler.schedule(route);
    py::list stops;
    double wait = 0;
    for (const ScheduledStop& stop : day.stops) {
      wait += stop.wait;
      stops.append(
          py::make_tuple(stop.node, stop.arrival, stop.start, stop.departure, stop.wait, stop.load, stop.late));
    }
    days.append(py::make_tuple(day.departure, day.back, wait, day.late, stops));
  }
  return days;
}

}  // namespace neuopt::python
