// What ends a search in the same way however it goes: its target, patience and number of steps. The clock and the stop
// flag are core/until.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/numbers.h"
#include "problem/search_instance.h"
#include "search/solve.h"

namespace neuopt::search {

class StopRules {
 public:
  /// Costs that it is asked about are in the units of the search.
  StopRules(const SolveOptions& options, const SearchInstance& view) {
    if (options.steps) steps_ = *options.steps;
    if (options.patience > 0) patience_ = options.patience;
    if (options.target_cost) target_ = (*options.target_cost + slack(*options.target_cost, view)) / view.cost_scale;
  }

  bool at_target(double cost) const { return cost <= target_; }

  /// The best cost was found at the step `last_better`.
  std::optional<StopReason> by_cost(double best, std::int64_t last_better, std::int64_t step) const {
    if (at_target(best)) return StopReason::target;
    if (step - last_better >= patience_) return StopReason::patience;
    return std::nullopt;
  }

  std::optional<StopReason> by_steps(std::int64_t step) const {
    return step >= steps_ ? std::optional(StopReason::steps) : std::nullopt;
  }

  std::optional<StopReason> by_any(double best, std::int64_t last_better, std::int64_t step) const {
    const std::optional<StopReason> reason = by_cost(best, last_better, step);
    return reason ? reason : by_steps(step);
  }

 private:
  /// The search's costs are made of single-precision numbers, so one that is the target may lie above it. By less than
  /// one where costs may be whole numbers: these are told apart however large they are.
  static double slack(double target, const SearchInstance& view) {
    const double rounding = 0x1p-22 * std::abs(target);
    return view.euclidean() ? rounding : std::min(rounding, 0.25);
  }

  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::int64_t steps_ = kNever, patience_ = kNever;
  double target_ = -kInfinity;
};

}  // namespace neuopt::search
