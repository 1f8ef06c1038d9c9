#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>

#include "core/text.h"
#include "io/tsplib.h"
#include "io/tsplib_names.h"

namespace neuopt {
namespace {

template <typename... Arguments>
void append(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

void append_comment(std::string& out, std::string_view comment) {
  if (comment.empty()) return;
  for (;;) {
    const std::size_t end = comment.find('\n');
    append(out, "COMMENT: {}\n", printable_text(comment.substr(0, end)));
    if (end == std::string_view::npos) return;
    comment.remove_prefix(end + 1);
  }
}

void append_points(std::string& out, const Instance& instance) {
  for (int node = 0; node < instance.size; ++node) {
    const Point& point = instance.coordinates[node];
    append(out, "{} {} {}", node + 1, point.x, point.y);
    if (!instance.z.empty()) append(out, " {}", instance.z[node]);
    out += '\n';
  }
}

/// The lower triangle holds everything: the matrix is symmetric and its diagonal is 0.
void append_weights(std::string& out, const Instance& instance) {
  out += "EDGE_WEIGHT_SECTION\n";
  for (int row = 1; row < instance.size; ++row) {
    for (int column = 0; column < row; ++column) {
      append(out, "{}{}", instance.distance(row, column), column + 1 < row ? ' ' : '\n');
    }
  }
}

void append_geometry(std::string& out, const Instance& instance) {
  if (instance.metric != Metric::explicit_matrix) {
    out += "NODE_COORD_SECTION\n";
    append_points(out, instance);
    return;
  }
  append_weights(out, instance);
  if (instance.coordinates.empty()) return;
  out += "DISPLAY_DATA_SECTION\n";
  append_points(out, instance);
}

void append_demands(std::string& out, const Instance& instance) {
  out += "DEMAND_SECTION\n";
  for (int node = 0; node < instance.size; ++node) append(out, "{} {}\n", node + 1, instance.demand[node]);
  append(out, "DEPOT_SECTION\n{}\n-1\n", instance.depot + 1);
}

void append_times(std::string& out, const Instance& instance) {
  out += "SERVICE_TIME_SECTION\n";
  for (int node = 0; node < instance.size; ++node) append(out, "{} {}\n", node + 1, instance.service[node]);
  out += "TIME_WINDOW_SECTION\n";
  for (int node = 0; node < instance.size; ++node)
    append(out, "{} {} {}\n", node + 1, instance.windows[node].opens, instance.windows[node].closes);
}

/// EUC_2D is cut after one decimal under TYPE VRPTW: integers are said by the type of what time windows were added to.
ProblemKind stated_type(const Instance& instance) {
  const bool integers = instance.metric == Metric::euc_2d;
  return integers && instance.kind == ProblemKind::vrptw ? ProblemKind::cvrp : instance.kind;
}

void append_fixed_edges(std::string& out, const Instance& instance) {
  if (instance.fixed_edges.empty()) return;
  out += "FIXED_EDGES_SECTION\n";
  for (const auto& [from, to] : instance.fixed_edges) append(out, "{} {}\n", from + 1, to + 1);
  out += "-1\n";
}

}  // namespace

std::string write_instance(const Instance& instance) {
  std::string out;
  append(out, "NAME: {}\n", printable_text(instance.name));
  append_comment(out, instance.comment);
  append(out, "TYPE: {}\n", type_name(stated_type(instance)));
  append(out, "DIMENSION: {}\n", instance.size);
  if (traits(instance.kind).demands) append(out, "CAPACITY: {}\n", instance.capacity);
  if (traits(instance.kind).depots && instance.vehicles > 0) append(out, "VEHICLES: {}\n", instance.vehicles);
  const bool by_type = traits(instance.kind).windows && instance.metric == Metric::dimacs_2d;
  append(out, "EDGE_WEIGHT_TYPE: {}\n", metric_name(by_type ? Metric::euc_2d : instance.metric));
  if (instance.metric == Metric::explicit_matrix) {
    out += "EDGE_WEIGHT_FORMAT: LOWER_ROW\n";
    if (!instance.coordinates.empty()) out += "DISPLAY_DATA_TYPE: TWOD_DISPLAY\n";
  }
  append_geometry(out, instance);
  switch (instance.kind) {
    case ProblemKind::tsp:
      append_fixed_edges(out, instance);
      break;
    case ProblemKind::cvrp:
      append_demands(out, instance);
      break;
    case ProblemKind::vrptw:
      append_demands(out, instance);
      append_times(out, instance);
      break;
  }
  out += "EOF\n";
  return out;
}

}  // namespace neuopt
