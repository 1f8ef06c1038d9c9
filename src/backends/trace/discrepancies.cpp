#include "backends/trace/discrepancies.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace neuopt::backends::trace {
namespace {

auto row_of(auto& rows, const std::string& quantity) {
  return std::find_if(rows.begin(), rows.end(), [&](const Discrepancy& row) { return row.quantity == quantity; });
}

}  // namespace

void Discrepancies::expect(const std::string& quantity, double tolerance) {
  Discrepancy row;
  row.quantity = quantity;
  row.tolerance = tolerance;
  rows_.push_back(row);
}

void Discrepancies::compare(const std::string& quantity, double actual, double recorded, const std::string& where) {
  add(quantity, std::abs(actual - recorded), 1, where);
}

void Discrepancies::add(const std::string& quantity, double error, long values, const std::string& where) {
  const auto row = row_of(rows_, quantity);
  if (row == rows_.end()) throw Error("no tolerance was set for " + quantity);
  if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
  if (error > row->largest) {
    row->largest = error;
    row->where = where;
  }
  row->compared += values;
}

bool Discrepancies::expects(const std::string& quantity) const { return row_of(rows_, quantity) != rows_.end(); }

bool Discrepancies::passed() const {
  return !rows_.empty() && std::all_of(rows_.begin(), rows_.end(), [](const auto& row) { return row.passed(); });
}

}  // namespace neuopt::backends::trace
