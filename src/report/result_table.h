// Markdown tables of measured results beside figures from elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/result_plan.h"

namespace neuopt::report {

struct TableOptions {
  std::vector<std::string> columns;  // ours, by the names of table_columns()
  bool mean = false;                 // a last row with the mean of every column that holds percentages
};

/// What `columns` may name. "others" is where the figures from elsewhere stand; at the end when it is not named.
std::vector<std::string> table_columns();

/// The table; results[i] belongs to row i of the plan, those not there are "not yet measured". The mean is taken over
/// the measured rows in all columns alike, over all rows while none is measured.
/// Throws InputError when a column is unknown.
std::string result_table(const ResultPlan& plan, const std::vector<std::optional<MeasuredResult>>& results,
                         const TableOptions& options);

}  // namespace neuopt::report
