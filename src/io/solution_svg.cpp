#include "io/solution_svg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/palette.h"
#include "io/svg.h"
#include "problem/embed.h"
#include "problem/verify.h"

namespace neuopt {
namespace {

constexpr double kPlotSide = 760;  // longer side of the area that holds the nodes
constexpr double kMargin = 44;
constexpr double kHeader = 84;
constexpr double kLine = 20;  // of the header, for what is wrong
constexpr double kFooter = 34;
constexpr double kMinHeight = 220;

constexpr const char* kStyle =
    R"(text{font-family:Inter,"Segoe UI",system-ui,"DejaVu Sans",sans-serif;fill:#1f2328}
.paper{fill:#fcfbf8}
.name{font-size:22px;font-weight:600}
.facts{font-size:14px;fill:#646b75}
.small{font-size:12px;fill:#646b75}
.scale{stroke:#646b75;stroke-width:1.5;fill:none}
.route{fill:none;stroke:currentColor;stroke-linejoin:round;stroke-linecap:round}
.tour{fill:currentColor;fill-opacity:.07}
.leg{fill:none;stroke:currentColor;stroke-opacity:.42;stroke-linecap:round}
.dot{fill:currentColor;stroke:#fcfbf8}
.free{color:#646b75}
.depot{fill:#1f2328;stroke:#fcfbf8;stroke-width:2.5}
.core{fill:#fcfbf8}
.wrong{font-size:14px;font-weight:600;fill:#c21f2c}
.over{fill:none;stroke:#c21f2c;stroke-opacity:.24;stroke-linejoin:round;stroke-linecap:round}
.missing{fill:none;stroke:#c21f2c;stroke-width:2}
.late{fill:none;stroke:#c21f2c;stroke-width:2;stroke-dasharray:3 2}
.return{fill:none;stroke:#c21f2c;stroke-opacity:.6;stroke-dasharray:5 4}
)";

constexpr const char* kDarkStyle =
    R"(text{fill:#e6e8eb}
.paper{fill:#15181d}
.facts,.small{fill:#9aa3ae}
.scale{stroke:#9aa3ae}
.dot{stroke:#15181d}
.free{color:#9aa3ae}
.depot{fill:#f1f2f4;stroke:#15181d}
.core{fill:#15181d}
.wrong{fill:#ff7a80}
.over,.missing,.late,.return{stroke:#ff7a80}
)";

/// Where each node lies on the page, and how the page measures the instance.
struct Layout {
  std::vector<Point> at;   // of each node
  double plot_height = 0;  // the plot's width is kPlotSide
  double unit = 0;         // pixels for one unit of the instance; 0 without a meaningful scale
  double dot = 0;          // radius of a node
};

Layout lay_out(const Instance& instance, double header) {
  Layout layout;
  layout.at = map_points(instance);
  layout.dot = std::clamp(56.0 / std::sqrt(std::max<double>(instance.size, 1)), 1.5, 6.0);
  layout.plot_height = kMinHeight;
  if (layout.at.empty()) return layout;
  Point low = layout.at[0], high = low;
  for (const Point& point : layout.at) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  const double width = high.x - low.x, height = high.y - low.y;
  const double side = std::max(width, height);
  const double unit = side > 0 && std::isfinite(side) ? kPlotSide / side : 1;
  // Degrees are no distances, and the map of a matrix is only like them.
  const bool measured = instance.metric != Metric::geo && instance.metric != Metric::explicit_matrix;
  layout.unit = measured && side > 0 ? unit : 0;
  layout.plot_height = std::clamp(height * unit, kMinHeight, kPlotSide);
  const Point centre{(low.x + high.x) / 2, (low.y + high.y) / 2};
  for (Point& point : layout.at)
    point = {kMargin + kPlotSide / 2 + (point.x - centre.x) * unit,
             header + layout.plot_height / 2 - (point.y - centre.y) * unit};
  return layout;
}

/// Whole numbers with thousands set apart by a thin space, tenths with one decimal, others with four.
std::string cost_text(double cost) {
  if (cost != std::round(cost)) return fmt::format("{:.{}f}", cost, cost == std::round(10 * cost) / 10 ? 1 : 4);
  std::string text = fmt::format("{:.0f}", cost);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, "\u202f");
  return text;
}

struct Route {
  std::vector<int> nodes;
  bool overloaded = false;
  bool returns_late = false;
};

std::string facts_text(const Instance& instance, const std::vector<Route>* routes) {
  const ProblemTraits problem = traits(instance.kind);
  std::string facts;
  if (routes) {
    Solution solution;
    for (const Route& route : *routes) solution.routes.push_back(route.nodes);
    const double cost = solution_cost(instance, solution);
    facts = "cost " + cost_text(cost);
    if (instance.reference_cost && *instance.reference_cost > 0)
      facts += fmt::format(" ({:+.2f} %)", 100 * (cost / *instance.reference_cost - 1));
    const std::size_t count = routes->size();
    if (problem.depots) facts += fmt::format("  ·  {} route{}", count, count == 1 ? "" : "s");
    facts += "  ·  ";
  }
  facts += fmt::format("{} {}", instance.customers(), problem.places);
  if (problem.demands) facts += fmt::format("  ·  capacity {:.6g}", instance.capacity);
  return facts;
}

/// What is wrong, as much of it as fits on a line: without what stands in brackets, if need be.
std::string wrong_text(const Verdict& verdict) {
  constexpr std::size_t kMostLetters = 85;
  const std::string whole = fmt::format("not feasible: {}", fmt::join(verdict.findings, "; ")), more = "; and more";
  if (whole.size() <= kMostLetters) return whole;
  std::string text = "not feasible";
  const char* before = ": ";
  for (const std::string& finding : verdict.findings) {
    const std::string brief = finding.substr(0, finding.find(" ("));
    if (text.size() + 2 + brief.size() + more.size() > kMostLetters) return text + more;
    text += before + brief;
    before = "; ";
  }
  return text;
}

/// As much of a name as fits on the page, in whole characters of UTF-8.
std::string heading(const std::string& name) {
  constexpr int kMostLetters = 48;
  int letters = 0;
  for (std::size_t at = 0; at < name.size(); ++at)
    if ((static_cast<unsigned char>(name[at]) & 0xC0) != 0x80 && ++letters > kMostLetters)
      return name.substr(0, at) + "…";
  return name;
}

/// The routes without empty ones and indices that are not in the instance.
std::vector<Route> drawable_routes(const Instance& instance, const Solution& solution, const Verdict& verdict) {
  std::vector<Route> drawable;
  for (std::size_t index = 0; index < solution.routes.size(); ++index) {
    Route route;
    for (const int node : solution.routes[index])
      if (node >= 0 && node < instance.size) route.nodes.push_back(node);
    const auto& over = verdict.overloaded;
    route.overloaded = std::find(over.begin(), over.end(), static_cast<int>(index)) != over.end();
    route.returns_late = std::any_of(verdict.late.begin(), verdict.late.end(), [&](const LateStop& stop) {
      return stop.route == static_cast<int>(index) && instance.is_depot(stop.node);
    });
    if (!route.nodes.empty()) drawable.push_back(std::move(route));
  }
  return drawable;
}

/// The routes of a CVRP sorted around the depot: neighbours on the page are then neighbours in colour index, and those
/// differ most.
void sort_around_depot(const Instance& instance, const Layout& layout, std::vector<Route>& routes) {
  const Point hub = layout.at[instance.depot];
  std::vector<std::pair<double, Route>> sorted;
  for (Route& route : routes) {
    Point sum;
    for (const int node : route.nodes) sum = {sum.x + layout.at[node].x - hub.x, sum.y + layout.at[node].y - hub.y};
    sorted.emplace_back(std::atan2(sum.y, sum.x), std::move(route));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(sorted.begin(), sorted.end(), routes.begin(), [](auto& entry) { return std::move(entry.second); });
}

std::string style_sheet(std::size_t colours) {
  std::string light = kStyle, dark = kDarkStyle;
  for (int colour = 0; colour < static_cast<int>(colours); ++colour) {
    light += fmt::format(".r{}{{color:{}}}\n", colour, distinct_colour(colour, false));
    dark += fmt::format(".r{}{{color:{}}}\n", colour, distinct_colour(colour, true));
  }
  return light + "@media (prefers-color-scheme:dark){\n" + dark + "}\n";
}

/// Lines of one route. CVRP: the legs from and to the depot are fainter, they cross everything else.
void draw_lines(SvgCanvas& canvas, const Instance& instance, const Layout& layout, const Route& route) {
  std::vector<Point> line;
  line.reserve(route.nodes.size());
  for (const int node : route.nodes) line.push_back(layout.at[node]);
  const std::string width = fmt::format("stroke-width=\"{:.2f}\"", std::clamp(0.5 * layout.dot, 1.1, 2.4));
  if (!traits(instance.kind).depots) {
    canvas.polyline(line, true, "class=\"route tour\" " + width);
    return;
  }
  const Point depot = layout.at[instance.depot];
  if (route.overloaded) {
    std::vector<Point> round = line;
    round.push_back(depot);
    canvas.polyline(round, true, fmt::format("class=\"over\" stroke-width=\"{:.2f}\"", 2 * layout.dot + 5));
  }
  if (route.returns_late)
    canvas.polyline({line.back(), depot}, false,
                    fmt::format("class=\"return\" stroke-width=\"{:.2f}\"", layout.dot + 3));
  canvas.polyline({depot, line.front()}, false, "class=\"leg\" " + width);
  if (line.size() > 1) canvas.polyline({line.back(), depot}, false, "class=\"leg\" " + width);
  canvas.polyline(line, false, "class=\"route\" " + width);
}

/// Dots of some nodes; the area of a customer's dot grows with its demand.
void draw_dots(SvgCanvas& canvas, const Instance& instance, const Layout& layout, const std::vector<int>& nodes) {
  const bool demands = traits(instance.kind).demands;
  const double largest = demands ? *std::max_element(instance.demand.begin(), instance.demand.end()) : 0;
  const std::string outline = fmt::format("class=\"dot\" stroke-width=\"{:.2f}\"", std::min(1.2, layout.dot / 4));
  for (const int node : nodes) {
    if (instance.is_depot(node)) continue;
    const double share = largest > 0 ? std::clamp(instance.demand[node] / largest, 0.0, 1.0) : 0.5;
    canvas.circle(layout.at[node], layout.dot * std::sqrt(0.5 + share), outline);
  }
}

void draw_depot(SvgCanvas& canvas, Point at) {
  canvas.rectangle(at.x - 8, at.y - 8, 16, 16, "class=\"depot\" rx=\"3.5\"");
  canvas.rectangle(at.x - 3, at.y - 3, 6, 6, "class=\"core\" rx=\"1\"");
}

/// A bar of 1, 2 or 5 times a power of ten, about a sixth of the plot.
void draw_scale(SvgCanvas& canvas, const Layout& layout, double y) {
  if (!(layout.unit > 0)) return;
  const double wanted = kPlotSide / 6 / layout.unit;
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  const double length = wanted / power >= 5 ? 5 * power : wanted / power >= 2 ? 2 * power : power;
  const double end = kMargin + length * layout.unit;
  canvas.polyline({{kMargin, y - 4}, {kMargin, y}, {end, y}, {end, y - 4}}, false, "class=\"scale\"");
  canvas.text({end + 8, y + 2}, fmt::format("{:.6g}", length), "class=\"small\"");
}

void draw_routes(SvgCanvas& canvas, const Instance& instance, const Layout& layout, const std::vector<Route>& routes) {
  for (std::size_t index = 0; index < routes.size(); ++index) {
    canvas.begin_group(fmt::format("class=\"r{}\"", index));
    draw_lines(canvas, instance, layout, routes[index]);
    canvas.end_group();
  }
  for (std::size_t index = 0; index < routes.size(); ++index) {  // dots above the lines of all routes
    canvas.begin_group(fmt::format("class=\"r{}\"", index));
    draw_dots(canvas, instance, layout, routes[index].nodes);
    canvas.end_group();
  }
}

/// Nodes on no route, all of them without a solution.
std::vector<int> unvisited(const Layout& layout, const std::vector<Route>& routes) {
  std::vector<bool> seen(layout.at.size(), false);
  for (const Route& route : routes)
    for (const int node : route.nodes) seen[node] = true;
  std::vector<int> nodes;
  for (int node = 0; node < static_cast<int>(seen.size()); ++node)
    if (!seen[node]) nodes.push_back(node);
  return nodes;
}

}  // namespace

std::string draw_picture(const Instance& instance, const Solution* solution) {
  Verdict verdict;
  std::vector<Route> routes;
  if (solution) {
    verdict = verify(instance, *solution);
    routes = drawable_routes(instance, *solution, verdict);
  }
  const bool wrong = solution && !verdict.feasible;
  const double header = kHeader + (wrong ? kLine : 0);
  const Layout layout = lay_out(instance, header);
  const bool placed = !layout.at.empty();
  const bool hub = placed && traits(instance.kind).depots;
  const std::string facts = facts_text(instance, solution ? &routes : nullptr);
  if (!placed) routes.clear();
  if (hub) sort_around_depot(instance, layout, routes);
  const double width = kPlotSide + 2 * kMargin;
  const double height = header + layout.plot_height + kMargin + kFooter;
  const std::string name = instance.name.empty() ? "unnamed" : instance.name;

  SvgCanvas canvas(width, height, name, style_sheet(routes.size()));
  canvas.rectangle(0, 0, width, height, "class=\"paper\"");
  canvas.text({kMargin, 36}, heading(name), "class=\"name\"");
  canvas.text({kMargin, 58}, facts, "class=\"facts\"");
  if (wrong) canvas.text({kMargin, 78}, wrong_text(verdict), "class=\"wrong\"");
  draw_routes(canvas, instance, layout, routes);
  const std::vector<int> free = unvisited(layout, routes);
  canvas.begin_group("class=\"free\"");
  draw_dots(canvas, instance, layout, free);
  canvas.end_group();
  for (const int node : free)
    if (solution && !instance.is_depot(node)) canvas.circle(layout.at[node], 2 * layout.dot + 2, "class=\"missing\"");
  for (const LateStop& stop : verdict.late)
    if (placed && !instance.is_depot(stop.node))
      canvas.circle(layout.at[stop.node], 2 * layout.dot + 2, "class=\"late\"");
  if (hub) draw_depot(canvas, layout.at[instance.depot]);
  draw_scale(canvas, layout, height - 22);
  return canvas.finish();
}

}  // namespace neuopt
