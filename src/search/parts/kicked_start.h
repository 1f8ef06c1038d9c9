// The first solution of a large instance: local search with random kicks finds a good one sooner than the policy does.
#pragma once

#include <functional>
#include <vector>

#include "core/until.h"
#include "search/job.h"
#include "search/pace.h"

namespace neuopt::search {

/// Improves the start of a prepared job by kicks, so many for each customer and step, in a share of the time at most.
/// The same for a seed, unless the clock or the flag ended it. A start that was asked for, given or hurried stays as it
/// is. `watch` hears the best cost so far, very often.
std::vector<int> kicked_start(const PreparedJob& job, std::vector<int> start, const SolveOptions& options,
                              const Until& until, const std::function<void(double cost)>& watch);

}  // namespace neuopt::search
