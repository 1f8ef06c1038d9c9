#include "report/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text.h"

namespace neuopt::report {
namespace {

constexpr const char* kNothing = "–";
constexpr const char* kMissing = "not yet measured";
constexpr const char* kOthers = "others";

/// What stands in a cell, and the percentage that it tells, before rounding.
struct Cell {
  std::string text;
  std::optional<double> percent = std::nullopt;
};
using Cells = std::vector<Cell>;

/// 12,000
std::string group_digits(long value) {
  const std::string digits = std::to_string(value);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string percent_text(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.2f} %", std::abs(*percent) < 0.005 ? 0.0 : *percent) : kNothing;
}

/// Costs in the unit square with four decimals, costs of library instances with one at most.
std::string cost_text(const std::optional<double>& cost) {
  if (!cost) return kNothing;
  return fmt::format("{:.{}f}", *cost, *cost == std::round(*cost) ? 0 : *cost < 1000 ? 4 : 1);
}

Cell percent_cell(const std::optional<double>& percent) { return {percent_text(percent), percent}; }

Cell count_cell(const PlanRow& row, const MeasuredResult& result) {
  std::string text = group_digits(result.done);
  if (result.done < row.instances) text += " of " + group_digits(row.instances);
  if (result.infeasible > 0) text += fmt::format(" ({} infeasible)", group_digits(result.infeasible));
  return {text};
}

std::string seconds_text(double seconds) {
  return seconds < 9.95 ? fmt::format("{:.1f}", seconds) : group_digits(std::lround(seconds));
}

/// One of our columns. The cells of planned ones are known before anything is measured.
struct Column {
  const char* name;
  const char* header;
  bool planned;
  bool numeric;
  Cell (*cell)(const PlanRow& row, const MeasuredResult& result);
};

using Row = const PlanRow&;
using Result = const MeasuredResult&;

const Column kColumns[] = {
    {"A", "A", true, true, [](Row row, Result) { return Cell{group_digits(row.augment)}; }},
    {"T", "T", true, true, [](Row row, Result) { return Cell{group_digits(row.steps)}; }},
    {"instances", "instances", false, true, count_cell},
    {"runs", "runs", false, true, count_cell},
    {"cost", "mean cost", false, true, [](Row, Result result) { return Cell{cost_text(result.cost)}; }},
    {"reference", "reference", false, true, [](Row, Result result) { return Cell{cost_text(result.reference)}; }},
    {"gap", "mean gap", false, true, [](Row, Result result) { return percent_cell(result.gap); }},
    {"best", "best gap", false, true, [](Row, Result result) { return percent_cell(result.best_gap); }},
    {"seconds", "seconds", false, true, [](Row, Result result) { return Cell{seconds_text(result.seconds)}; }},
    {"device", "device", false, false,
     [](Row, Result result) { return Cell{result.device + (result.machine.empty() ? "" : "; " + result.machine)}; }},
    {"model", "model", false, false, [](Row, Result result) { return Cell{result.model}; }},
    {"commit", "commit", false, false,
     [](Row, Result result) { return Cell{result.commit.empty() ? kNothing : result.commit}; }},
};

/// Null for "others", the place of the figures from elsewhere.
const Column* find_column(const std::string& name) {
  if (name == kOthers) return nullptr;
  for (const Column& column : kColumns)
    if (column.name == name) return &column;
  throw InputError(fmt::format("column {}, expected some of {}", quote_bytes(name), fmt::join(table_columns(), ", ")));
}

/// The cell as Markdown takes it: on one line, with no bar of its own.
std::string escape(const std::string& cell) {
  std::string escaped;
  for (const char c : printable_text(cell)) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string line_of(const Cells& cells) {
  std::string line = "|";
  for (const Cell& cell : cells) line += fmt::format(" {} |", escape(cell.text));
  return line + "\n";
}

/// The percentage in a cell like "0.35 %".
std::optional<double> percent_in(const std::string& cell) {
  if (!cell.ends_with(" %")) return std::nullopt;
  return parse_number(std::string_view(cell).substr(0, cell.size() - 2));
}

class Table {
 public:
  Table(const ResultPlan& plan, const std::vector<std::optional<MeasuredResult>>& results, const TableOptions& options)
      : plan_(plan), results_(results) {
    for (const std::string& name : options.columns) columns_.push_back(find_column(name));
    if (std::find(columns_.begin(), columns_.end(), nullptr) == columns_.end()) columns_.push_back(nullptr);
    for (std::size_t i = 0; i < plan.rows.size(); ++i) rows_.push_back(row_cells(i));
    if (options.mean) rows_.push_back(mean_cells());
  }

  std::string text() const {
    std::string text = header();
    for (const Cells& row : rows_) text += line_of(row);
    return text;
  }

 private:
  std::string header() const {
    Cells cells{{plan_.label_header}};
    std::string rule = "|---|";
    for (const Column* column : columns_) {
      if (column != nullptr) {
        cells.push_back({column->header});
        rule += column->numeric ? "--:|" : "---|";
        continue;
      }
      for (const std::string& other : plan_.other_headers) {
        cells.push_back({other});
        rule += "--:|";
      }
    }
    return line_of(cells) + rule + "\n";
  }

  Cells row_cells(std::size_t index) const {
    const PlanRow& row = plan_.rows[index];
    const std::optional<MeasuredResult>& result = results_[index];
    Cells cells{{row.label}};
    bool said = false;
    for (const Column* column : columns_) {
      if (column == nullptr) {
        for (const std::string& other : row.others) cells.push_back({other, percent_in(other)});
      } else if (result || column->planned) {
        cells.push_back(column->cell(row, result.value_or(MeasuredResult{})));
      } else {
        cells.push_back({said ? "" : kMissing});
        said = true;
      }
    }
    return cells;
  }

  Cells mean_cells() const {
    std::vector<std::size_t> counted, all;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      all.push_back(i);
      if (results_[i]) counted.push_back(i);
    }
    std::string label = fmt::format("mean of {}", all.size());
    if (counted.empty())
      counted = all;
    else if (counted.size() < all.size())
      label = fmt::format("mean of the {} measured", counted.size());
    Cells cells{{label}};
    for (std::size_t column = 1; column < rows_.front().size(); ++column) cells.push_back({mean_text(column, counted)});
    return cells;
  }

  /// Empty when one of the rows tells no percentage there.
  std::string mean_text(std::size_t column, const std::vector<std::size_t>& counted) const {
    double sum = 0;
    for (const std::size_t row : counted) {
      const std::optional<double>& percent = rows_[row][column].percent;
      if (!percent) return "";
      sum += *percent;
    }
    return percent_text(sum / static_cast<double>(counted.size()));
  }

  const ResultPlan& plan_;
  const std::vector<std::optional<MeasuredResult>>& results_;
  std::vector<const Column*> columns_;  // null: the figures from elsewhere
  std::vector<Cells> rows_;
};

}  // namespace

std::vector<std::string> table_columns() {
  std::vector<std::string> names;
  for (const Column& column : kColumns) names.emplace_back(column.name);
  names.emplace_back(kOthers);
  return names;
}

std::string result_table(const ResultPlan& plan, const std::vector<std::optional<MeasuredResult>>& results,
                         const TableOptions& options) {
  if (plan.rows.size() != results.size()) throw InputError("as many results as rows expected, measured or not");
  return Table(plan, results, options).text();
}

}  // namespace neuopt::report
