#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "io/palette.h"
#include "io/svg.h"
#include "report/chart_axis.h"

namespace neuopt::report {
namespace {

constexpr double kWidth = 860;
constexpr double kLeft = 78, kRight = 28, kBottom = 54;  // around the plot
constexpr double kHeader = 74;                           // title and facts
constexpr double kPanelTop = 16;
constexpr double kLegendRow = 22;
constexpr int kSeriesColours = 8;

constexpr const char* kStyle =
    R"(text{font-family:Inter,"Segoe UI",system-ui,"DejaVu Sans",sans-serif;fill:#1f2328;font-size:13px}
.paper{fill:#fcfbf8}
.name{font-size:21px;font-weight:600}
.title{font-size:14px;font-weight:600}
.facts,.tick,.label{fill:#5d646e}
.tick{font-size:12px}
.grid{stroke:#1f2328;stroke-opacity:.1;fill:none}
.axis{stroke:#5d646e;fill:none}
.plain{color:#2f6fb4}.good{color:#1c8f57}.bad{color:#d1352b}.muted{color:#8a919b}
.line{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linejoin:round}
.thin{fill:none;stroke:currentColor;stroke-width:1;stroke-opacity:.45;stroke-linejoin:round}
.dashes{stroke-dasharray:6 4}
.mark{fill:none;stroke:currentColor}
.bar{fill:currentColor;fill-opacity:.85}
.band{fill:currentColor;fill-opacity:.2}
)";
constexpr const char* kDarkStyle =
    R"(text{fill:#e6e8eb}
.paper{fill:#15181d}
.facts,.tick,.label{fill:#a5adb8}
.grid{stroke:#e6e8eb;stroke-opacity:.12}
.axis{stroke:#a5adb8}
.plain{color:#7fb2ec}.good{color:#4fce8f}.bad{color:#ff7a6b}.muted{color:#8a919b}
)";

std::string style_sheet() {
  std::string light = kStyle, dark = kDarkStyle;
  for (int colour = 0; colour < kSeriesColours; ++colour) {
    light += fmt::format(".s{}{{color:{}}}\n", colour, distinct_colour(colour, false));
    dark += fmt::format(".s{}{{color:{}}}\n", colour, distinct_colour(colour, true));
  }
  return light + "@media (prefers-color-scheme:dark){\n" + dark + "}\n";
}

std::string ink_class(const Series& series) {
  switch (series.ink) {
    case Ink::plain:
      return "plain";
    case Ink::good:
      return "good";
    case Ink::bad:
      return "bad";
    case Ink::muted:
      return "muted";
    case Ink::series:
      break;
  }
  return fmt::format("s{}", series.colour % kSeriesColours);
}

/// Numbers beyond this, or none at all, have no place on a chart.
constexpr double kLargest = 1e30;

bool finite(const Point& point) { return std::abs(point.x) < kLargest && std::abs(point.y) < kLargest; }

/// Width of a text of 13 pixels, near enough to place what follows it.
double text_width(std::string_view text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  return 7.1 * static_cast<double>(text.size() - std::count_if(text.begin(), text.end(), continues));
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void include(double value) {
    if (!(std::abs(value) < kLargest)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

double bar_width(const Series& series) {
  double gap = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < series.points.size(); ++i)
    gap = std::min(gap, std::abs(series.points[i].x - series.points[i - 1].x));
  return std::isfinite(gap) && gap > 0 ? 0.7 * gap : 0.7;
}

/// What the data span, as the axes ask for it.
std::pair<Range, Range> data_ranges(const Panel& panel) {
  Range x, y;
  for (const Series& series : panel.series) {
    const bool bars = series.mark == Series::Mark::bars;
    const double half = bars ? 0.8 * bar_width(series) : 0;
    if (bars) y.include(0);
    for (const Point& point : series.points) {
      if (!finite(point) || (panel.y.logarithmic && !(point.y > 0)) || (panel.x.logarithmic && !(point.x > 0)))
        continue;
      x.include(point.x - half);
      x.include(point.x + half);
      y.include(point.y);
    }
    for (const double value : series.upper) y.include(value);
  }
  const auto settle = [](const Axis& axis, Range& range) {
    if (!(range.low <= range.high)) range.low = axis.logarithmic ? 1 : 0, range.high = axis.logarithmic ? 10 : 1;
    range.low = axis.low.value_or(range.low);
    range.high = axis.high.value_or(range.high);
  };
  settle(panel.x, x);
  settle(panel.y, y);
  return {x, y};
}

/// Draws one panel whose upper edge lies at `top`.
class PanelDrawing {
 public:
  PanelDrawing(SvgCanvas& canvas, const Panel& panel, int index, double top)
      : canvas_(canvas),
        panel_(panel),
        clip_(fmt::format("plot{}", index)),
        top_(top),
        plot_top_(top + kPanelTop + (panel.title.empty() ? 0 : 20) + legend_height()),
        plot_bottom_(top + panel.height - kBottom),
        ranges_(data_ranges(panel)),
        x_(ranges_.first.low, ranges_.first.high, kLeft, kWidth - kRight, panel.x.logarithmic, panel.x.whole),
        y_(ranges_.second.low, ranges_.second.high, plot_bottom_, plot_top_, panel.y.logarithmic, panel.y.whole) {
    if (!panel.y.low && !panel.y.high) y_.round_outwards(y_ticks());
  }

  void draw() {
    if (!panel_.title.empty()) canvas_.text({kLeft, top_ + kPanelTop + 4}, panel_.title, "class=\"title\"");
    draw_legend();
    draw_axes();
    canvas_.begin_clip(clip_, kLeft, plot_top_ - 1, kWidth - kLeft - kRight, plot_bottom_ - plot_top_ + 2);
    for (const Series& series : panel_.series) draw_series(series);
    canvas_.end_group();
  }

 private:
  int y_ticks() const { return std::max(3, static_cast<int>((plot_bottom_ - plot_top_) / 48)); }

  /// Calls place(series, x, row) for each entry of the legend and returns the number of rows.
  template <class Place>
  int lay_out_legend(const Place& place) const {
    int row = 0;
    double x = kLeft;
    for (const Series& series : panel_.series) {
      if (series.name.empty()) continue;
      const double width = 26 + text_width(series.name) + 20;
      if (x > kLeft && x + width > kWidth - kRight) x = kLeft, ++row;
      place(series, x, row);
      x += width;
    }
    return x > kLeft ? row + 1 : 0;
  }

  double legend_height() const {
    return kLegendRow * lay_out_legend([](const Series&, double, int) {});
  }

  void draw_legend() {
    const double first = top_ + kPanelTop + (panel_.title.empty() ? 0 : 20) + 6;
    lay_out_legend([&](const Series& series, double x, int row) {
      const double y = first + kLegendRow * row;
      canvas_.begin_group(fmt::format("class=\"{}\"", ink_class(series)));
      draw_key(series, x, y);
      canvas_.end_group();
      canvas_.text({x + 26, y + 4.5}, series.name, "class=\"label\"");
    });
  }

  void draw_key(const Series& series, double x, double y) {
    switch (series.mark) {
      case Series::Mark::dots:
        return canvas_.dots({{x + 10, y}}, "class=\"mark\" stroke-width=\"6\"");
      case Series::Mark::crosses:
        return canvas_.crosses({{x + 10, y}}, 3.5, "class=\"mark\" stroke-width=\"1.6\"");
      case Series::Mark::bars:
      case Series::Mark::area:
        return canvas_.rectangle(x + 4, y - 6, 12, 12, "class=\"bar\"");
      case Series::Mark::band:
        return canvas_.rectangle(x + 1, y - 6, 18, 12, "class=\"band\"");
      case Series::Mark::dashes:
        return canvas_.polyline({{x, y}, {x + 20, y}}, false, "class=\"line dashes\"");
      default:
        return canvas_.polyline({{x, y}, {x + 20, y}}, false, "class=\"line\"");
    }
  }

  void draw_axes() {
    const double right = kWidth - kRight;
    for (const Tick& tick : y_.ticks(y_ticks())) {
      const double y = y_.place(tick.value);
      canvas_.polyline({{kLeft, y}, {right, y}}, false, "class=\"grid\"");
      canvas_.text({kLeft - 9, y + 4}, tick.text, "class=\"tick\" text-anchor=\"end\"");
    }
    for (const Tick& tick : x_.ticks(8)) {
      const double x = x_.place(tick.value);
      canvas_.polyline({{x, plot_bottom_}, {x, plot_bottom_ + 5}}, false, "class=\"axis\"");
      canvas_.text({x, plot_bottom_ + 20}, tick.text, "class=\"tick\" text-anchor=\"middle\"");
    }
    canvas_.polyline({{kLeft, plot_bottom_}, {right, plot_bottom_}}, false, "class=\"axis\"");
    canvas_.text({(kLeft + right) / 2, plot_bottom_ + 42}, panel_.x.label, "class=\"label\" text-anchor=\"middle\"");
    const double middle = (plot_top_ + plot_bottom_) / 2;
    canvas_.text({18, middle}, panel_.y.label,
                 fmt::format("class=\"label\" text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1f})\"", middle));
  }

  Point place(const Point& point) const { return {x_.place(point.x), y_.place(point.y)}; }

  std::vector<Point> places(const Series& series) const {
    std::vector<Point> placed;
    for (const Point& point : series.points)
      if (finite(point)) placed.push_back(place(point));
    return placed;
  }

  /// Marks that would lie on the same half pixel are drawn once: long searches stay small files.
  static std::vector<Point> thinned(const std::vector<Point>& placed) {
    std::set<std::pair<long, long>> seen;
    std::vector<Point> kept;
    for (const Point& point : placed)
      if (seen.emplace(std::lround(2 * point.x), std::lround(2 * point.y)).second) kept.push_back(point);
    return kept;
  }

  /// A line is cut down to the lowest and highest value of each pixel column when it has many more points than that.
  static std::vector<Point> thinned_line(const std::vector<Point>& placed) {
    if (placed.size() < 3 * kWidth) return placed;
    std::vector<Point> kept;
    for (std::size_t begin = 0; begin < placed.size();) {
      std::size_t end = begin + 1, low = begin, high = begin;
      for (; end < placed.size() && std::floor(placed[end].x) == std::floor(placed[begin].x); ++end) {
        if (placed[end].y < placed[low].y) low = end;
        if (placed[end].y > placed[high].y) high = end;
      }
      kept.push_back(placed[std::min(low, high)]);
      if (low != high) kept.push_back(placed[std::max(low, high)]);
      begin = end;
    }
    return kept;
  }

  static std::vector<Point> stairs(const std::vector<Point>& placed) {
    std::vector<Point> corners;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const bool level = i > 0 && i + 1 < placed.size() && placed[i].y == placed[i - 1].y;
      if (level) continue;  // nothing happens here
      if (i > 0 && !corners.empty() && corners.back().y != placed[i].y)
        corners.push_back({placed[i].x, corners.back().y});
      corners.push_back(placed[i]);
    }
    return corners;
  }

  void draw_series(const Series& series) {
    canvas_.begin_group(fmt::format("class=\"{}\"", ink_class(series)));
    const std::vector<Point> placed = places(series);
    const bool many = placed.size() > 400;
    switch (series.mark) {
      case Series::Mark::line:
        canvas_.polyline(thinned_line(placed), false, many ? "class=\"thin\"" : "class=\"line\"");
        break;
      case Series::Mark::dashes:
        canvas_.polyline(stairs(placed), false, "class=\"line dashes\"");
        break;
      case Series::Mark::stairs:
        canvas_.polyline(stairs(placed), false, "class=\"line\"");
        break;
      case Series::Mark::dots:
        canvas_.dots(thinned(placed),
                     many ? "class=\"mark\" stroke-width=\"3.2\"" : "class=\"mark\" stroke-width=\"5\"");
        break;
      case Series::Mark::crosses:
        canvas_.crosses(thinned(placed), many ? 1.8 : 3, "class=\"mark\" stroke-width=\"1.1\"");
        break;
      case Series::Mark::bars:
        draw_bars(series);
        break;
      case Series::Mark::band:
        draw_band(series, "class=\"band\"");
        break;
      case Series::Mark::area:
        draw_band(series, "class=\"bar\"");
        break;
    }
    canvas_.end_group();
  }

  void draw_bars(const Series& series) {
    const double half = bar_width(series) / 2;
    for (const Point& point : series.points) {
      const double left = x_.place(point.x - half), top = y_.place(point.y);
      canvas_.rectangle(left, top, x_.place(point.x + half) - left, std::max(0.0, y_.place(0) - top),
                        "class=\"bar\" rx=\"2\"");
    }
  }

  void draw_band(const Series& series, std::string_view attributes) {
    std::vector<Point> outline = places(series);
    for (std::size_t i = series.points.size(); i-- > 0;)
      if (finite(series.points[i])) outline.push_back(place({series.points[i].x, series.upper.at(i)}));
    canvas_.polyline(outline, true, attributes);
  }

  SvgCanvas& canvas_;
  const Panel& panel_;
  std::string clip_;
  double top_, plot_top_, plot_bottom_;
  std::pair<Range, Range> ranges_;
  AxisScale x_, y_;
};

}  // namespace

std::string draw_chart(const Chart& chart) {
  double height = kHeader;
  for (const Panel& panel : chart.panels) height += panel.height;
  SvgCanvas canvas(kWidth, height, chart.title, style_sheet());
  canvas.rectangle(0, 0, kWidth, height, "class=\"paper\"");
  canvas.text({kLeft - 52, 36}, chart.title, "class=\"name\"");
  canvas.text({kLeft - 52, 58}, chart.facts, "class=\"facts\"");
  double top = kHeader;
  int index = 0;
  for (const Panel& panel : chart.panels) {
    PanelDrawing(canvas, panel, index++, top).draw();
    top += panel.height;
  }
  return canvas.finish();
}

}  // namespace neuopt::report
