#include "backends/trace/discrepancies.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace neuopt::backends {

void Discrepancies::expect(const std::string& quantity, double tolerance) {
  Discrepancy row;
  row.quantity = quantity;
  row.tolerance = tolerance;
  rows_.push_back(row);
}

void Discrepancies::compare(const std::string& quantity, double actual, double recorded, const std::string& where) {
  const auto row =
      std::find_if(rows_.begin(), rows_.end(), [&](const Discrepancy& entry) { return entry.quantity == quantity; });
  if (row == rows_.end()) throw Error("no tolerance was set for " + quantity);
  double error = std::abs(actual - recorded);
  if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
  if (error > row->largest) {
    row->largest = error;
    row->where = where;
  }
  ++row->compared;
}

bool Discrepancies::passed() const {
  return !rows_.empty() && std::all_of(rows_.begin(), rows_.end(), [](const auto& row) { return row.passed(); });
}

}  // namespace neuopt::backends
