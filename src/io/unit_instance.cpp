#include "io/unit_instance.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/error.h"
#include "io/tsplib_sections.h"
#include "problem/schedule.h"

namespace neuopt {
namespace {

/// The name of a file without its folder and its last extension.
std::string stem(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  return name.substr(0, name.rfind('.'));
}

}  // namespace

std::string position_label(const SetPosition& position) {
  return fmt::format("{}: instance {}", position.file, position.index);
}

Instance make_unit_tsp(const SetPosition& position, std::vector<Point> nodes) {
  const auto in_range = [](double value) { return std::abs(value) <= magnitude_limit; };  // and a number
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!in_range(nodes[i].x) || !in_range(nodes[i].y))
      throw InputError(position_label(position), 0,
                       fmt::format("the coordinates of node {} are ({}, {}), expected numbers up to {}", i, nodes[i].x,
                                   nodes[i].y, magnitude_limit));
  Instance instance;
  instance.name = fmt::format("{}#{}", stem(position.file), position.index);
  instance.size = static_cast<int>(nodes.size());
  instance.coordinates = std::move(nodes);
  return instance;
}

Instance make_unit_cvrp(const SetPosition& position, std::vector<Point> nodes, std::vector<double> demand,
                        double capacity) {
  // The comparisons are written so that NaN fails them.
  if (!(capacity > 0 && capacity <= magnitude_limit))
    throw InputError(position_label(position), 0,
                     fmt::format("the capacity is {}, expected more than 0 and at most {}", capacity, magnitude_limit));
  for (std::size_t i = 0; i < demand.size(); ++i) {
    if (!(demand[i] >= 0))
      throw InputError(position_label(position), 0, fmt::format("the demand of node {} is {}", i, demand[i]));
    if (demand[i] > capacity)
      throw InputError(position_label(position), 0,
                       fmt::format("the demand {} of node {} is above the capacity {}", demand[i], i, capacity));
  }
  Instance instance = make_unit_tsp(position, std::move(nodes));
  instance.kind = ProblemKind::cvrp;
  instance.demand = std::move(demand);
  instance.capacity = capacity;
  return instance;
}

void refuse_divided(const std::string& file, double largest_demand, double smallest_capacity) {
  if (largest_demand > 0 && largest_demand < 1 && smallest_capacity > 1)
    throw InputError(file, 0,
                     "demand is below 1 everywhere and seems to be divided by the capacity, which must then be 1");
}

Instance make_unit_vrptw(const SetPosition& position, Instance cvrp, UnitTimes times) {
  Instance instance = std::move(cvrp);
  instance.kind = ProblemKind::vrptw;
  instance.windows = std::move(times.windows);
  instance.service = std::move(times.service);
  const Scheduler scheduler(instance);
  for (int node = 0; node < instance.size; ++node)
    if (const std::string wrong = scheduler.wrong_times(node); !wrong.empty())
      throw InputError(position_label(position), 0, fmt::format("node {}: {}", node, wrong));
  return instance;
}

}  // namespace neuopt
