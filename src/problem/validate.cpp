#include "problem/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "problem/fixed_chains.h"
#include "problem/schedule.h"

namespace neuopt {
namespace {

/// Whether the enumerator is one of those that exist: data from outside may hold any number. The compiler names those
/// that are missing here.
bool is_metric(Metric metric) {
  switch (metric) {
    case Metric::unit:
    case Metric::euc_2d:
    case Metric::floor_2d:
    case Metric::dimacs_2d:
    case Metric::ceil_2d:
    case Metric::man_2d:
    case Metric::max_2d:
    case Metric::euc_3d:
    case Metric::man_3d:
    case Metric::max_3d:
    case Metric::geo:
    case Metric::att:
    case Metric::explicit_matrix:
      return true;
  }
  return false;
}

void check_names(const Instance& instance) {
  if (std::find(kProblemKinds.begin(), kProblemKinds.end(), instance.kind) == kProblemKinds.end())
    throw InputError(fmt::format("no problem has the number {}", static_cast<int>(instance.kind)));
  if (!is_metric(instance.metric))
    throw InputError(fmt::format("no metric has the number {}", static_cast<int>(instance.metric)));
}

void check_length(const char* what, std::size_t length, std::size_t expected) {
  if (length != expected) throw InputError(fmt::format("{} {}, expected {}", length, what, expected));
}

void check_magnitude(const char* what, double value, int node) {
  if (std::abs(value) > magnitude_limit)
    throw InputError(
        fmt::format("node {}: {} of {}, expected a magnitude of at most {}", node, what, value, magnitude_limit));
}

void check_coordinates(const Instance& instance, int first_node) {
  const auto size = static_cast<std::size_t>(instance.size);
  const bool drawn = instance.metric == Metric::explicit_matrix;  // only to draw the nodes
  if (instance.coordinates.empty() && drawn) return;
  if (instance.coordinates.empty()) throw InputError("the instance has no coordinates");
  check_length("coordinates", instance.coordinates.size(), size);
  if (three_dimensional(instance.metric) || !instance.z.empty())
    check_length("third coordinates", instance.z.size(), size);
  for (std::size_t node = 0; node < size; ++node) {
    const Point& point = instance.coordinates[node];
    const double z = three_dimensional(instance.metric) ? instance.z[node] : 0;
    if (!std::isfinite(point.x) || !std::isfinite(point.y) || !std::isfinite(z))
      throw InputError(
          fmt::format("the coordinates of node {} are not finite", node + static_cast<std::size_t>(first_node)));
    for (const double value : {point.x, point.y, z})
      check_magnitude("a coordinate", value, static_cast<int>(node) + first_node);
  }
}

/// The other metrics are symmetric by their formulas.
void check_matrix(const Instance& instance, int first_node) {
  if (instance.metric != Metric::explicit_matrix) return;
  const auto size = static_cast<std::size_t>(instance.size);
  check_length("distances", instance.matrix.size(), size * size);
  for (int from = 0; from < instance.size; ++from)
    for (int to = 0; to < from; ++to) {
      const double there = instance.distance(from, to), back = instance.distance(to, from);
      if (there < 0)
        throw InputError(fmt::format("the distance from node {} to node {} is {}, expected 0 or more",
                                     from + first_node, to + first_node, there));
      if (!std::isfinite(there) || there != back)
        throw InputError(fmt::format("distances are not {}: {} from node {} to node {}, {} back",
                                     std::isfinite(there) ? "symmetric" : "finite", there, from + first_node,
                                     to + first_node, back));
      check_magnitude("a distance", there, from + first_node);
    }
}

void check_demands(const Instance& instance, int first_node) {
  if (instance.depot < 0 || instance.depot >= instance.size)
    throw InputError(fmt::format("the depot is node {}, expected {} to {}", instance.depot + first_node, first_node,
                                 instance.size - 1 + first_node));
  if (instance.vehicles < 0)
    throw InputError(fmt::format("{} vehicles, expected 0 (any number) or more", instance.vehicles));
  check_length("demands", instance.demand.size(), static_cast<std::size_t>(instance.size));
  if (!(instance.capacity > 0 && instance.capacity <= magnitude_limit))
    throw InputError(
        fmt::format("capacity is {}, expected more than 0 and at most {}", instance.capacity, magnitude_limit));
  for (int node = 0; node < instance.size; ++node) {
    const double demand = instance.demand[static_cast<std::size_t>(node)];
    if (node == instance.depot && demand != 0)
      throw InputError(fmt::format("node {} has demand {}, expected 0 at the depot", node + first_node, demand));
    if (!(demand >= 0 && demand <= instance.capacity))
      throw InputError(fmt::format("node {} has demand {}, expected 0 to {}, the capacity", node + first_node, demand,
                                   instance.capacity));
  }
}

void check_times(const Instance& instance, int first_node) {
  check_length("time windows", instance.windows.size(), static_cast<std::size_t>(instance.size));
  check_length("service times", instance.service.size(), static_cast<std::size_t>(instance.size));
  const Scheduler scheduler(instance);
  for (int node = 0; node < instance.size; ++node) {
    const auto at = static_cast<std::size_t>(node);
    if (const std::string wrong = scheduler.wrong_times(node); !wrong.empty())
      throw InputError(fmt::format("node {}: {}", node + first_node, wrong));
    for (const double time : {instance.windows[at].opens, instance.windows[at].closes, instance.service[at]})
      check_magnitude("a time", time, node + first_node);
  }
}

void check_fixed_edges(const Instance& instance, int first_node) {
  if (instance.fixed_edges.empty()) return;
  if (const ProblemTraits problem = traits(instance.kind); problem.depots)
    throw InputError(fmt::format("fixed edges of a {} are not supported", problem.label));
  FixedChains chains(instance.size, first_node);
  for (const auto& [a, b] : instance.fixed_edges) {
    for (const int node : {a, b})
      if (node < 0 || node >= instance.size)
        throw InputError(fmt::format("a fixed edge has node {}, expected {} to {}", node + first_node, first_node,
                                     instance.size - 1 + first_node));
    if (const std::string wrong = chains.add(a, b); !wrong.empty()) throw InputError(wrong);
  }
}

}  // namespace

void validate(const Instance& instance, int first_node) {
  check_names(instance);
  if (instance.size < 1) throw InputError("the instance has no nodes");
  check_coordinates(instance, first_node);
  check_matrix(instance, first_node);
  check_fixed_edges(instance, first_node);
  switch (instance.kind) {
    case ProblemKind::tsp:
      break;
    case ProblemKind::cvrp:
      check_demands(instance, first_node);
      break;
    case ProblemKind::vrptw:
      check_demands(instance, first_node);
      check_times(instance, first_node);
      break;
  }
}

}  // namespace neuopt
