#include "report/result_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "io/json_lines.h"

namespace neuopt::report {
namespace {

/// "CVRP-100, cvrp100, 5 copies"
std::string evaluation_name(const nlohmann::json& object) {
  const std::string problem = upper_case(object.value("problem", ""));
  std::string model = object.value("model", "");
  model = model.substr(model.find_last_of('/') + 1);
  const long copies = whole_number_at(object, "augment", 1, 1'000'000).value_or(1);
  return printable_text(fmt::format(
      "{}-{}, {}, {} {}{}", problem, whole_number_at(object, "size", 0, 100'000'000).value_or(0), model, copies,
      copies == 1 ? "copy" : "copies", object.value("augment_start", true) ? "" : ", no augmentation"));
}

struct GapCurve {
  Series line, band;
};

GapCurve gap_curve(const nlohmann::json& object, const std::string& measure, int colour) {
  GapCurve curve;
  curve.line = {Series::Mark::line, evaluation_name(object), Ink::series, colour, {}, {}};
  curve.band = {Series::Mark::band, "", Ink::series, colour, {}, {}};
  for (const auto& point : object.at("curve")) {
    const auto step = number_at(point, "step"), value = number_at(point, measure);
    if (!step || !value) continue;
    curve.line.points.push_back({*step, *value});
    const auto low = number_at(point, measure + "_p10"), high = number_at(point, measure + "_p90");
    if (!low || !high) continue;
    curve.band.points.push_back({*step, *low});
    curve.band.upper.push_back(*high);
  }
  return curve;
}

/// A logarithmic axis where the values span more than this factor and none is 0 or less.
bool wants_logarithm(const std::vector<double>& values, double factor) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return low != values.end() && *low > 0 && *high / *low > factor;
}

}  // namespace

void choose_axes(Panel& panel) {
  std::vector<double> steps, values;
  for (const Series& series : panel.series)
    if (series.mark == Series::Mark::line)
      for (const Point& point : series.points) {
        steps.push_back(point.x);
        values.push_back(point.y);
      }
  panel.x.logarithmic = wants_logarithm(steps, 20);
  panel.y.logarithmic = wants_logarithm(values, 12);
  // A percentile of 0 has no place on a logarithmic axis; the band leaves the frame there.
  if (panel.y.logarithmic) panel.y.low = *std::min_element(values.begin(), values.end()) / 3;
}

Chart gap_chart(const std::vector<EvaluationFile>& evaluations) {
  std::vector<nlohmann::json> objects;
  bool gaps = true;
  for (const EvaluationFile& file : evaluations) {
    objects.push_back(parse_json_object(file.bytes, file.name));
    const auto curve = objects.back().find("curve");
    if (curve == objects.back().end() || !curve->is_array() || curve->empty())
      throw InputError(file.name, 0, "no curve; 'neuopt eval SET --curve 100,300,1000 --json' prints one");
    for (const auto& point : *curve) gaps = gaps && point.is_object() && number_at(point, "gap_percent");
  }
  Panel panel;
  panel.height = 460;
  panel.x.label = "search steps";
  panel.x.whole = true;
  panel.y.label = gaps ? "gap, %" : "mean cost";
  bool bands = false;
  std::vector<Series> lines;
  for (std::size_t i = 0; i < objects.size(); ++i) try {
      GapCurve curve = gap_curve(objects[i], gaps ? "gap_percent" : "mean_cost", static_cast<int>(i));
      if (curve.line.points.empty()) throw InputError(evaluations[i].name, 0, "a curve without points");
      bands = bands || !curve.band.points.empty();
      panel.series.push_back(std::move(curve.band));
      lines.push_back(std::move(curve.line));
    } catch (const nlohmann::json::exception& error) {
      throw InputError(evaluations[i].name, 0, std::string("unexpected content: ") + error.what());
    }
  panel.series.insert(panel.series.end(), lines.begin(), lines.end());
  choose_axes(panel);
  std::string facts =
      fmt::format("{} instances", whole_number_at(objects.front(), "instances", 0, 1'000'000'000).value_or(0));
  if (bands) facts += "  ·  lines: mean of the instances  ·  bands: 10th to 90th percentile";
  return {gaps ? "Gap against search steps" : "Cost against search steps", facts, {panel}};
}

namespace {

/// A panel of the training figure: the fields of the log that belong to it, by their whole name or how it begins.
struct TrainingPanel {
  const char* title;
  const char* label;
  std::vector<std::string> fields;
  double height;
};

const std::vector<TrainingPanel>& training_panels() {
  static const std::vector<TrainingPanel> panels = {
      {"Validation: gap after so many search steps", "gap, %", {"gap_*"}, 320},
      {"Validation: cost after so many search steps", "mean cost", {"cost_*"}, 320},
      {"Solutions in training", "mean cost", {"start_cost", "final_cost"}, 260},
      {"Value loss", "loss", {"value_loss"}, 200},
      {"Policy loss", "loss", {"policy_loss"}, 200},
      {"Entropy of the policy", "entropy", {"entropy"}, 200},
      {"Norm of the gradient", "norm", {"actor_norm", "critic_norm"}, 220},
      {"Improved within the horizon", "share", {"improved_branches", "improved_groups"}, 220},
  };
  return panels;
}

bool belongs(const std::string& field, const TrainingPanel& panel) {
  return std::any_of(panel.fields.begin(), panel.fields.end(), [&](const std::string& name) {
    return name.back() == '*' ? field.starts_with(name.substr(0, name.size() - 1)) : field == name;
  });
}

/// "gap_1000" -> "1000 steps", "gap_1000_average" -> "1000 steps, average", "final_cost" -> "final cost"
std::string curve_label(const std::string& field) {
  constexpr std::string_view kAverage = "_average";
  if (field.ends_with(kAverage)) return curve_label(field.substr(0, field.size() - kAverage.size())) + ", average";
  const std::string number = field.substr(field.find_last_of('_') + 1);
  if (parse_integer(number)) return number + " steps";
  std::string label = printable_text(field);
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

using Curves = std::map<std::string, std::vector<Point>>;

/// The mean of each run of neighbours, so that a long and noisy curve can be read.
std::vector<Point> smoothed(const std::vector<Point>& points) {
  constexpr std::size_t wanted = 300;
  if (points.size() <= 2 * wanted) return points;
  const std::size_t width = (points.size() + wanted - 1) / wanted;
  std::vector<Point> means;
  for (std::size_t begin = 0; begin < points.size(); begin += width) {
    const std::size_t end = std::min(begin + width, points.size());
    Point sum;
    for (std::size_t i = begin; i < end; ++i) sum = {sum.x + points[i].x, sum.y + points[i].y};
    const auto count = static_cast<double>(end - begin);
    means.push_back({sum.x / count, sum.y / count});
  }
  return means;
}

}  // namespace

Chart training_chart(std::string_view log, const std::string& filename) {
  std::vector<nlohmann::json> lines;
  for_each_json_line(log, filename, [&](const nlohmann::json& object, long) { lines.push_back(object); });
  std::string axis;
  for (const char* field : {"batch", "epoch", "seconds"})
    if (axis.empty() && std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return number_at(l, field); }))
      axis = field;
  Curves curves;
  double seconds = 0, first = std::numeric_limits<double>::infinity(), last = -first;
  for (const nlohmann::json& line : lines) {
    seconds = std::max(seconds, number_at(line, "total_seconds").value_or(0));
    const auto x = number_at(line, axis);
    if (!x) continue;
    first = std::min(first, *x);
    last = std::max(last, *x);
    for (const auto& [field, value] : line.items())
      if (value.is_number()) curves[field].push_back({*x, value.get<double>()});
  }
  if (curves.lower_bound("gap_") != curves.lower_bound("gap`"))  // the gaps say the same as the costs, and more
    std::erase_if(curves, [](const auto& entry) { return entry.first.starts_with("cost_"); });
  Chart chart{"Training", printable_text(filename), {}};
  if (seconds > 0) chart.facts += fmt::format("  ·  {:.0f} min", seconds / 60);
  for (const TrainingPanel& shape : training_panels()) {
    Panel panel = {shape.title,
                   {axis, false, axis != "seconds", first, last},
                   {shape.label, false, false, {}, {}},
                   {},
                   shape.height};
    for (const auto& [field, points] : curves) {
      if (!belongs(field, shape)) continue;
      const std::string name = field == shape.fields.front() && shape.fields.size() == 1 ? "" : curve_label(field);
      const int colour = static_cast<int>(panel.series.size());
      panel.series.push_back({Series::Mark::line, name, Ink::series, colour, smoothed(points), {}});
    }
    if (!panel.series.empty()) chart.panels.push_back(std::move(panel));
  }
  if (chart.panels.empty())
    throw InputError(filename, 0, "no training curves; expected the log.jsonl of a training run");
  return chart;
}

}  // namespace neuopt::report
