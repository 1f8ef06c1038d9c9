#include "io/result_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "io/json_lines.h"
#include "io/text_cursor.h"

namespace neuopt {
namespace {

constexpr long kMost = 1'000'000'000;
const std::vector<std::string> kReserved = {"result", "input", "instances", "nodes", "augment", "steps"};

using Cells = std::vector<std::string>;

Cells split(std::string_view line) {
  Cells cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.emplace_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

/// A line of the plan whose cells are found by their column's name.
struct PlanLine {
  const Cells& header;
  const Cells& cells;
  const std::string& filename;
  long number;

  const std::string& text(const std::string& column) const {
    const auto found = std::find(header.begin(), header.end(), column);
    return cells[static_cast<std::size_t>(found - header.begin())];
  }

  long whole(const std::string& column) const {
    const std::optional<long long> value = parse_integer(text(column));
    if (!value || *value < 1 || *value > kMost)
      throw InputError(filename, number,
                       fmt::format("{} {}, expected a whole number from 1", column, quote_bytes(text(column))));
    return static_cast<long>(*value);
  }
};

PlanRow read_row(const PlanLine& line) {
  PlanRow row;
  row.label = line.cells.front();
  row.result = line.text("result");
  row.input = line.text("input");
  if (row.result.empty() || row.result.find('/') != row.result.npos)
    throw InputError(line.filename, line.number, "result " + quote_bytes(row.result) + ", expected a file name");
  row.instances = line.whole("instances");
  row.augment = line.whole("augment");
  row.steps = line.whole("steps");
  line.whole("nodes");
  for (std::size_t i = 1; i < line.cells.size(); ++i)
    if (std::find(kReserved.begin(), kReserved.end(), line.header[i]) == kReserved.end())
      row.others.push_back(line.cells[i]);
  return row;
}

Cells read_header(std::string_view line, const std::string& filename) {
  Cells header = split(line);
  for (const std::string& column : kReserved)
    if (std::count(header.begin() + 1, header.end(), column) != 1)
      throw InputError(filename, 1, fmt::format("expected one column '{}' after the first", column));
  return header;
}

[[noreturn]] void differs(const std::string& filename, const std::string& what) {
  throw InputError(filename, 0, what + "; measure it again or keep it elsewhere");
}

[[noreturn]] void unexpected(const std::string& filename, const std::string& what) {
  throw InputError(filename, 0, "not what 'neuopt eval --json' prints: " + what);
}

long whole(const nlohmann::json& object, const char* key, const std::string& filename) {
  if (const std::optional<long> value = whole_number_at(object, key, 0, kMost)) return *value;
  unexpected(filename, fmt::format("'{}' is no count", key));
}

std::optional<double> number_or_null(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return found->get<double>();
}

MeasuredResult read_result(const nlohmann::json& object, const std::string& filename) {
  MeasuredResult result;
  result.done = whole(object, object.contains("runs") ? "runs" : "instances", filename);
  result.infeasible = whole(object, "infeasible", filename);
  result.cost = number_or_null(object, "mean_cost");
  result.reference = number_or_null(object, "reference_cost");
  result.gap = number_or_null(object, "gap_percent");
  result.best_gap = number_or_null(object, "best_gap_percent");
  result.seconds = object.at("seconds").get<double>();
  if (!(result.seconds >= 0 && result.seconds <= kMost)) unexpected(filename, "'seconds' is no duration");
  result.device = object.at("device").get<std::string>();
  const std::string name = object.at("model").get<std::string>();
  const std::string checksum = object.at("model_checksum").get<std::string>();
  result.model = name.substr(name.find_last_of('/') + 1) + " " + checksum.substr(checksum.find(':') + 1);
  if (const auto labels = object.find("labels"); labels != object.end()) {
    result.machine = labels->value("machine", "");
    result.commit = labels->value("commit", "");
  }
  return result;
}

/// The result must be what the row asks for, so that a trial with few steps is not taken for a measurement.
void check_setting(const nlohmann::json& object, const MeasuredResult& result, const PlanRow& row,
                   const std::string& filename) {
  if (object.at("interrupted").get<bool>()) differs(filename, "an interrupted run");
  if (const auto file = object.at("file").get<std::string>(); file != row.input)
    differs(filename, fmt::format("measured on {}, the plan says {}", quote_bytes(file), row.input));
  const auto compare = [&](const char* what, long measured, long planned) {
    if (measured != planned) differs(filename, fmt::format("{} {}, the plan says {}", what, measured, planned));
  };
  compare("steps", whole(object, "steps", filename), row.steps);
  compare("augment", whole(object, "augment", filename), row.augment);
  if (result.done < 1 || result.done > row.instances) compare("instances or runs", result.done, row.instances);
}

}  // namespace

ResultPlan parse_result_plan(std::string_view text, const std::string& filename) {
  text = without_byte_order_mark(text);
  ResultPlan plan;
  Cells header;
  long number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1) {
      header = read_header(line, filename);
      continue;
    }
    if (line.empty()) continue;
    const Cells cells = split(line);
    if (cells.size() != header.size())
      throw InputError(filename, number, fmt::format("{} cells, expected {}", cells.size(), header.size()));
    plan.rows.push_back(read_row({header, cells, filename, number}));
  }
  if (plan.rows.empty()) throw InputError(filename, 0, "no rows, expected a header and a line for each measurement");
  plan.label_header = header.front();
  for (std::size_t i = 1; i < header.size(); ++i)
    if (std::find(kReserved.begin(), kReserved.end(), header[i]) == kReserved.end())
      plan.other_headers.push_back(header[i]);
  return plan;
}

MeasuredResult parse_measured_result(std::string_view bytes, const std::string& filename, const PlanRow& row) {
  const nlohmann::json object = parse_json_object(bytes, filename);
  try {
    MeasuredResult result = read_result(object, filename);
    check_setting(object, result, row, filename);
    return result;
  } catch (const nlohmann::json::exception& error) {
    unexpected(filename, error.what());
  }
}

}  // namespace neuopt
