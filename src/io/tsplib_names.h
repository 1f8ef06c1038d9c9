// The words of TSPLIB95 for problems, metrics and matrix layouts, shared by reader and writer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "problem/instance.h"

namespace neuopt {

/// TYPE, e.g. "TSP".
std::string_view type_name(ProblemKind kind);
std::optional<ProblemKind> type_from_name(std::string_view name);

/// EDGE_WEIGHT_TYPE, e.g. "EUC_2D".
std::string_view metric_name(Metric metric);
std::optional<Metric> metric_from_name(std::string_view name);

/// All of them, for error messages.
std::string metric_names();

/// Which entries of a symmetric matrix a file lists, row by row. A triangle listed column by column is the other
/// triangle listed row by row.
struct MatrixLayout {
  enum class Part { full, lower, upper };
  Part part;
  bool diagonal;

  /// Columns [first, last) listed for a row.
  int first_column(int row) const { return part == Part::upper ? row + (diagonal ? 0 : 1) : 0; }
  int last_column(int row, int size) const { return part == Part::lower ? row + (diagonal ? 1 : 0) : size; }
};

/// EDGE_WEIGHT_FORMAT, e.g. "UPPER_ROW".
std::optional<MatrixLayout> layout_from_name(std::string_view name);

}  // namespace neuopt
