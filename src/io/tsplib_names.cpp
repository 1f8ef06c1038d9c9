#include "io/tsplib_names.h"

#include <utility>

namespace neuopt {
namespace {

constexpr std::pair<std::string_view, Metric> metrics[] = {
    {"EUC_2D", Metric::euc_2d},
    {"FLOOR_2D", Metric::floor_2d},
    {"DIMACS_2D", Metric::dimacs_2d},
    {"CEIL_2D", Metric::ceil_2d},
    {"MAN_2D", Metric::man_2d},
    {"MAX_2D", Metric::max_2d},
    {"EUC_3D", Metric::euc_3d},
    {"MAN_3D", Metric::man_3d},
    {"MAX_3D", Metric::max_3d},
    {"GEO", Metric::geo},
    {"ATT", Metric::att},
    {"EXACT_2D", Metric::unit},
    {"EXPLICIT", Metric::explicit_matrix},
};

using Part = MatrixLayout::Part;
constexpr std::pair<std::string_view, MatrixLayout> layouts[] = {
    {"FULL_MATRIX", {Part::full, true}},     {"LOWER_ROW", {Part::lower, false}},
    {"LOWER_DIAG_ROW", {Part::lower, true}}, {"UPPER_ROW", {Part::upper, false}},
    {"UPPER_DIAG_ROW", {Part::upper, true}}, {"LOWER_COL", {Part::upper, false}},
    {"LOWER_DIAG_COL", {Part::upper, true}}, {"UPPER_COL", {Part::lower, false}},
    {"UPPER_DIAG_COL", {Part::lower, true}},
};

}  // namespace

std::string_view type_name(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::tsp:
      return "TSP";
    case ProblemKind::cvrp:
      return "CVRP";
    case ProblemKind::vrptw:
      return "VRPTW";
  }
  return {};
}

std::optional<ProblemKind> type_from_name(std::string_view name) {
  for (const ProblemKind kind : kProblemKinds)
    if (name == type_name(kind)) return kind;
  return std::nullopt;
}

std::string_view metric_name(Metric metric) {
  for (const auto& [name, value] : metrics) {
    if (value == metric) return name;
  }
  return {};
}

std::optional<Metric> metric_from_name(std::string_view name) {
  for (const auto& [known, value] : metrics) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::string metric_names() {
  std::string all;
  for (const auto& [name, value] : metrics) {
    if (!all.empty()) all += ", ";
    all += name;
  }
  return all;
}

std::optional<MatrixLayout> layout_from_name(std::string_view name) {
  for (const auto& [known, value] : layouts) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace neuopt
