#include "report/search_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/error.h"

namespace neuopt::report {
namespace {

std::string instance_facts(const SearchLog& log) {
  const ProblemTraits problem = traits(log.kind);
  return fmt::format("{}  ·  {} with {} {}", log.name, problem.label, log.customers, problem.places);
}

long steps_of_all(const SearchLog& log) {
  long steps = 0;
  for (const auto& copy : log.copies) steps += static_cast<long>(copy.size());
  return steps;
}

std::vector<LogStep> steps_in(const SearchLog& log, const LogWindow& window) {
  if (window.copy < 0 || window.copy >= static_cast<int>(log.copies.size()))
    throw InputError(fmt::format("copy {}, the log has copies 1 to {}", window.copy + 1, log.copies.size()));
  std::vector<LogStep> steps;
  for (const LogStep& step : log.copies[static_cast<std::size_t>(window.copy)])
    if (step.step >= window.first && (window.last == 0 || step.step <= window.last)) steps.push_back(step);
  if (steps.empty()) throw InputError("the log has no step there");
  return steps;
}

/// The first steps of a search lie far above all others and would flatten them: cuts the axis off where they are few.
double upper_limit(const std::vector<LogStep>& steps) {
  std::vector<double> costs;
  for (const LogStep& step : steps) costs.push_back(step.cost);
  std::sort(costs.begin(), costs.end());
  const double low = costs.front(), usual = costs[costs.size() * 95 / 100], high = costs.back();
  const double limit = low + 2 * (usual - low);
  return high > limit && usual > low ? limit : high;
}

}  // namespace

Chart trajectory_chart(const SearchLog& log, const LogWindow& window) {
  const std::vector<LogStep> steps = steps_in(log, window);
  const bool constrained = traits(log.kind).constrained;
  Series visited{Series::Mark::line, "from step to step", Ink::plain, 0, {}, {}};
  Series feasible{Series::Mark::dots, constrained ? "feasible" : "visited", Ink::good, 0, {}, {}};
  Series infeasible{Series::Mark::crosses, "infeasible", Ink::bad, 0, {}, {}};
  Series best{Series::Mark::stairs, constrained ? "best feasible" : "best", Ink::good, 0, {}, {}};
  Series best_near{Series::Mark::dashes, "best infeasible", Ink::bad, 0, {}, {}};
  const double limit = upper_limit(steps);
  long above = 0;
  double near = std::numeric_limits<double>::infinity();
  for (const LogStep& step : steps) {
    const auto x = static_cast<double>(step.step);
    visited.points.push_back({x, step.cost});
    (step.feasible ? feasible : infeasible).points.push_back({x, step.cost});
    best.points.push_back({x, step.best});
    if (!step.feasible) near = std::min(near, step.cost);
    best_near.points.push_back({x, near});
    above += step.cost > limit;
  }
  Panel panel;
  panel.height = 460;
  panel.x = {"search step", false, true, std::nullopt, std::nullopt};
  panel.y.label = "cost";
  if (above > 0) {
    double low = best.points.back().y;
    for (const LogStep& step : steps) low = std::min(low, step.cost);
    panel.y.low = low - 0.04 * (limit - low);
    panel.y.high = limit;
  }
  panel.series = {visited, feasible};
  if (constrained) panel.series.push_back(infeasible);
  panel.series.push_back(best);
  if (constrained) panel.series.push_back(best_near);
  std::string facts = instance_facts(log) + fmt::format("  ·  copy {}", window.copy + 1);
  if (constrained)
    facts += fmt::format("  ·  {:.0f} % feasible",
                         100.0 * static_cast<double>(feasible.points.size()) / static_cast<double>(steps.size()));
  if (above > 0) facts += fmt::format("  ·  {} above the frame", above);
  return {"Search trajectory", facts, {panel}};
}

namespace {

/// Shares of each k in windows of steps, stacked.
Panel stacked_shares(const SearchLog& log, const std::map<int, long>& total) {
  std::size_t longest = 0;
  for (const auto& copy : log.copies) longest = std::max(longest, copy.size());
  const std::size_t windows = std::clamp<std::size_t>(longest / 10, 1, 60);
  const std::size_t width = (longest + windows - 1) / windows;
  std::vector<std::map<int, double>> counts((longest + width - 1) / width);
  for (const auto& copy : log.copies)
    for (std::size_t i = 0; i < copy.size(); ++i) counts[i / width][copy[i].k] += 1;

  Panel panel;
  panel.title = "along the search";
  panel.x = {"search step", false, true, 0.0, static_cast<double>(longest)};
  panel.y = {"share of exchanges, %", false, false, 0.0, 100.0};
  std::vector<double> below(counts.size(), 0);
  for (const auto& [k, number] : total) {
    Series area{Series::Mark::area, fmt::format("k = {}", k), Ink::series, k, {}, {}};
    for (std::size_t w = 0; w < counts.size(); ++w) {
      double all = 0;
      for (const auto& entry : counts[w]) all += entry.second;
      const double top = below[w] + 100 * counts[w][k] / all;
      for (const std::size_t edge : {w, w + 1}) {  // each window is level, from its first step to its last
        area.points.push_back({static_cast<double>(std::min(edge * width, longest)), below[w]});
        area.upper.push_back(top);
      }
      below[w] = top;
    }
    panel.series.push_back(std::move(area));
  }
  return panel;
}

}  // namespace

Chart exchange_size_chart(const SearchLog& log) {
  std::map<int, long> total;
  for (const auto& copy : log.copies)
    for (const LogStep& step : copy) ++total[step.k];
  const long steps = steps_of_all(log);
  if (steps == 0) throw InputError("the log has no steps");
  Panel bars;
  bars.title = "in all";
  bars.height = 260;
  bars.x = {"k: edges exchanged (1: the tour stays as it is)", false, true, std::nullopt, std::nullopt};
  bars.y.label = "share, %";
  double mean = 0;
  Series shares{Series::Mark::bars, "", Ink::plain, 0, {}, {}};
  for (const auto& [k, number] : total) {
    const double share = static_cast<double>(number) / static_cast<double>(steps);
    shares.points.push_back({static_cast<double>(k), 100 * share});
    mean += k * share;
  }
  bars.series.push_back(shares);
  const std::string facts = instance_facts(log) + fmt::format("  ·  {} exchanges, mean k {:.2f}", steps, mean);
  return {"Size of the exchanges", facts, {bars, stacked_shares(log, total)}};
}

Chart infeasible_before_best_chart(const SearchLog& log) {
  constexpr std::size_t before = 5;
  if (const ProblemTraits problem = traits(log.kind); !problem.constrained)
    throw InputError(fmt::format("a {} has no infeasible solutions to count", problem.label));
  std::array<long, before + 1> counts{};
  long bests = 0;
  for (std::size_t copy = 0; copy < log.copies.size(); ++copy) {
    const auto& steps = log.copies[copy];
    for (std::size_t i = before; i < steps.size(); ++i) {
      if (!(steps[i].best < steps[i - 1].best)) continue;
      const auto first = steps.begin() + static_cast<std::ptrdiff_t>(i - before);
      const auto infeasible = std::count_if(first, first + before, [](const LogStep& step) { return !step.feasible; });
      ++counts[static_cast<std::size_t>(infeasible)];
      ++bests;
    }
  }
  if (bests == 0) throw InputError("the log has no new best with five solutions before it");
  Series bars{Series::Mark::bars, "", Ink::bad, 0, {}, {}};
  for (std::size_t number = 0; number < counts.size(); ++number)
    bars.points.push_back(
        {static_cast<double>(number), 100.0 * static_cast<double>(counts[number]) / static_cast<double>(bests)});
  Panel panel;
  panel.height = 380;
  panel.x = {"infeasible ones among the five solutions before a new best", false, true, std::nullopt, std::nullopt};
  panel.y.label = "share of the new bests, %";
  panel.series = {bars};
  const double some = 100.0 * static_cast<double>(bests - counts[0]) / static_cast<double>(bests);
  return {"Through infeasible solutions to a new best",
          instance_facts(log) + fmt::format("  ·  {} new bests, {:.0f} % with one or more", bests, some),
          {panel}};
}

}  // namespace neuopt::report
