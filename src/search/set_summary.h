// The results on a set of instances in a few numbers: means of costs and gaps, at the end and along the way.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "problem/instance.h"
#include "search/solve.h"

namespace neuopt::search {

/// Gaps below which a tenth, half and nine tenths of the instances lie.
struct GapSpread {
  double tenth = 0;
  double median = 0;
  double nine_tenths = 0;
};

struct CurvePoint {
  long step = 0;
  std::optional<double> mean_cost;  // of those with a feasible answer
  std::optional<double> mean_gap;
  std::optional<GapSpread> spread;  // of the same gaps
};

struct SetSummary {
  std::optional<double> mean_cost;       // over the feasible ones
  std::optional<double> mean_reference;  // of the known costs
  std::optional<double> mean_gap;        // mean of the gaps of the instances
  int infeasible = 0;
  double steps = 0;  // of all copies of all instances
  std::vector<CurvePoint> curve;
};

/// `curve` is the one of the options that the results were made with; a result that ended before a point of it does not
/// count there.
SetSummary summarize(std::span<const Instance> instances, std::span<const SolveResult> results,
                     std::span<const long> curve = {});

}  // namespace neuopt::search
