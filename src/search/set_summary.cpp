#include "search/set_summary.h"

#include <algorithm>

namespace neuopt::search {
namespace {

/// A sum and a count.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  std::optional<double> value() const { return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

/// The value below which a share of the sorted values lies, interpolated between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::optional<GapSpread> spread_of(std::vector<double> gaps) {
  if (gaps.empty()) return std::nullopt;
  std::sort(gaps.begin(), gaps.end());
  return GapSpread{quantile(gaps, 0.1), quantile(gaps, 0.5), quantile(gaps, 0.9)};
}

CurvePoint point_of(std::span<const Instance> instances, std::span<const SolveResult> results, std::size_t point) {
  Mean cost, gap;
  std::vector<double> gaps;
  for (const SolveResult& result : results) {
    if (!result.feasible || point >= result.curve.size()) continue;
    cost.add(result.curve[point]);
    if (!result.gap) continue;
    gaps.push_back(result.curve[point] / *instances[static_cast<std::size_t>(result.instance)].reference_cost - 1);
    gap.add(gaps.back());
  }
  return {.step = 0, .mean_cost = cost.value(), .mean_gap = gap.value(), .spread = spread_of(gaps)};
}

}  // namespace

SetSummary summarize(std::span<const Instance> instances, std::span<const SolveResult> results,
                     std::span<const long> curve) {
  SetSummary summary;
  Mean cost, reference, gap;
  for (const SolveResult& result : results) {
    const std::optional<double> known = instances[static_cast<std::size_t>(result.instance)].reference_cost;
    if (known) reference.add(*known);
    summary.steps += static_cast<double>(result.steps) * result.copies;
    summary.infeasible += !result.feasible;
    if (!result.feasible) continue;
    cost.add(result.cost);
    if (result.gap) gap.add(*result.gap);
  }
  summary.mean_cost = cost.value();
  summary.mean_reference = reference.value();
  summary.mean_gap = gap.value();
  for (std::size_t point = 0; point < curve.size(); ++point) {
    summary.curve.push_back(point_of(instances, results, point));
    summary.curve.back().step = curve[point];
  }
  return summary;
}

}  // namespace neuopt::search
