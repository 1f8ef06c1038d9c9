// What is to be measured for a table, and what was.
//
// A plan says what is measured: a CSV file (no quotes) with a line for each measurement. Its first column is what the
// row is called. The columns of these names say what to run, and are read by scripts/results.sh as well:
//   result     name of the file, without .json, that 'neuopt eval --json' printed
//   input      the set or the instance
//   instances  of the set, or runs on the instance
//   nodes      of each search: customers and dummy depots
//   augment, steps
// All other columns are figures from elsewhere and are shown as they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neuopt {

struct PlanRow {
  std::string label;
  std::string result, input;
  long instances = 0, augment = 0, steps = 0;
  std::vector<std::string> others;  // figures from elsewhere
};

struct ResultPlan {
  std::string label_header;
  std::vector<std::string> other_headers;
  std::vector<PlanRow> rows;
};

/// Throws InputError with file and line where a column is missing or a cell is not what it should be.
ResultPlan parse_result_plan(std::string_view text, const std::string& filename);

/// What the table says about one measurement.
struct MeasuredResult {
  long done = 0;  // instances, or runs on the instance
  long infeasible = 0;
  std::optional<double> cost, reference;  // means; none without a feasible solution or a known cost
  std::optional<double> gap, best_gap;    // in percent: mean of the gaps; gap of the best run
  double seconds = 0;
  std::string device, machine, model, commit;
};

/// Reads what 'neuopt eval --json' printed. Throws InputError when it is damaged, was interrupted, or is not what the
/// row asks for: another input, more instances, other steps or copies.
MeasuredResult parse_measured_result(std::string_view bytes, const std::string& filename, const PlanRow& row);

}  // namespace neuopt
