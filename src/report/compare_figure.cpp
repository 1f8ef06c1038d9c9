#include "report/compare_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "io/json_lines.h"

namespace neuopt::report {
namespace {

using Points = std::map<double, double>;               // by batch or search step
using Fields = std::map<std::string, Points>;          // of one file
using Values = std::map<double, std::vector<double>>;  // at each place, one for each file that has it

bool is_log(const EvaluationFile& file) { return file.name.ends_with(".jsonl"); }

/// Every field with a number, over "batch" in a log and over "step" in the curve of an evaluation.
Fields read_fields(const EvaluationFile& file) {
  Fields fields;
  const auto take = [&](const nlohmann::json& object, const char* axis) {
    const std::optional<double> x = object.is_object() ? number_at(object, axis) : std::nullopt;
    if (!x) return;
    for (const auto& [name, value] : object.items())
      if (value.is_number() && name != axis) fields[name][*x] = value.get<double>();
  };
  if (is_log(file)) {
    for_each_json_line(file.bytes, file.name, [&](const nlohmann::json& object, long) { take(object, "batch"); });
  } else {
    const nlohmann::json object = parse_json_object(file.bytes, file.name);
    if (const auto curve = object.find("curve"); curve != object.end() && curve->is_array())
      for (const nlohmann::json& point : *curve) take(point, "step");
  }
  if (fields.empty())
    throw InputError(file.name, 0,
                     "nothing to draw; expected the log.jsonl of a training run or 'eval --curve --json'");
  return fields;
}

/// The number at the end of "cost_300"; -1: none, or not a field of a validation.
long steps_of(const std::string& field, const std::string& kind) {
  if (!field.starts_with(kind)) return -1;
  return static_cast<long>(parse_integer(field.substr(kind.size())).value_or(-1));
}

/// What all files have: gaps rather than costs, after as many steps as possible.
std::string usual_field(const std::vector<Fields>& files) {
  const auto everywhere = [&](const std::string& name) {
    return std::all_of(files.begin(), files.end(), [&](const Fields& fields) { return fields.contains(name); });
  };
  for (const char* name : {"gap_percent", "mean_cost"})
    if (everywhere(name)) return name;
  for (const char* kind : {"gap_", "cost_"}) {
    std::string best;
    for (const auto& [name, points] : files.front())
      if (steps_of(name, kind) >= 0 && everywhere(name) &&
          (best.empty() || steps_of(name, kind) > steps_of(best, kind)))
        best = name;
    if (!best.empty()) return best;
  }
  throw InputError("the files have no gap or cost in common; --field names what to draw");
}

/// "cost_300" -> "mean cost after 300 steps"
std::string axis_label(const std::string& field) {
  constexpr std::string_view averaged = "_average";
  if (field.ends_with(averaged))
    return axis_label(field.substr(0, field.size() - averaged.size())) + ", averaged weights";
  const bool gap = field.starts_with("gap_");
  for (const char* kind : {"gap_", "cost_"})
    if (const long steps = steps_of(field, kind); steps >= 0)
      return fmt::format("{} after {} steps", gap ? "gap, %," : "mean cost", steps);
  if (field == "gap_percent") return "gap, %";
  std::string label = printable_text(field);
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

/// Minutes that a run had trained when it ended a batch.
double minutes_after(const Fields& fields, double batch, const std::string& file) {
  if (batch == 0) return 0;
  const auto seconds = fields.find("total_seconds");
  if (seconds == fields.end() || !seconds->second.contains(batch))
    throw InputError(file, 0, fmt::format("does not say how long {:.0f} batches took", batch));
  return seconds->second.at(batch) / 60;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// The line through the means up to `below` and the band around it, where every one of the curve's files has a value.
/// `minutes` holds where the points lie, if not at their batches or steps.
std::pair<Series, Series> mean_and_band(const ComparedCurve& curve, int colour, const Values& values,
                                        const Values& minutes, double below) {
  Series line{Series::Mark::line, printable_text(curve.name), Ink::series, colour, {}, {}};
  Series band{Series::Mark::band, "", Ink::series, colour, {}, {}};
  for (const auto& [at, all] : values) {
    if (all.size() < curve.files.size() || mean(all) > below) continue;
    const double x = minutes.empty() ? at : mean(minutes.at(at));
    line.points.push_back({x, mean(all)});
    const auto [low, high] = std::minmax_element(all.begin(), all.end());
    band.points.push_back({x, *low});
    band.upper.push_back(*high);
  }
  return {line, band};
}

}  // namespace

Chart compare_chart(const std::vector<ComparedCurve>& curves, const CompareOptions& options) {
  const bool minutes = options.minutes;
  std::vector<Fields> all;
  std::size_t logs = 0, most = 0;
  for (const ComparedCurve& curve : curves) {
    most = std::max(most, curve.files.size());
    for (const EvaluationFile& file : curve.files) {
      all.push_back(read_fields(file));
      logs += is_log(file) ? 1 : 0;
    }
  }
  if (logs != 0 && logs != all.size()) throw InputError("training runs and evaluations do not share a picture");
  if (logs == 0 && minutes) throw InputError("evaluations have no minutes of training");
  const std::string drawn = options.field.empty() ? usual_field(all) : options.field;

  Panel panel;
  panel.height = 460;
  panel.x = {minutes ? "minutes" : (logs > 0 ? "batches" : "search steps"), false, !minutes, {}, {}};
  panel.y.label = axis_label(drawn);
  std::vector<Series> lines;
  auto next = all.begin();
  for (std::size_t i = 0; i < curves.size(); ++i) {
    Values values, places;
    for (const EvaluationFile& file : curves[i].files) {
      const Fields& fields = *next++;
      if (!fields.contains(drawn)) throw InputError(file.name, 0, "has no " + quote_bytes(drawn));
      for (const auto& [x, y] : fields.at(drawn)) {
        values[x].push_back(y);
        if (minutes) places[x].push_back(minutes_after(fields, x, file.name));
      }
    }
    auto [line, band] = mean_and_band(curves[i], static_cast<int>(i), values, places, options.below);
    if (line.points.empty())
      throw InputError(curves[i].files.front().name, 0, "no point to draw: too high, or its repetitions have others");
    if (curves[i].files.size() > 1) panel.series.push_back(std::move(band));
    lines.push_back(std::move(line));
  }
  panel.series.insert(panel.series.end(), lines.begin(), lines.end());
  choose_axes(panel);
  const std::string facts =
      most > 1 ? fmt::format("lines: mean of up to {} repetitions  ·  bands: lowest to highest", most) : "";
  return {logs > 0 ? "Training runs" : "Searches", facts, {panel}};
}

}  // namespace neuopt::report
