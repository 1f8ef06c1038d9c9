// Local search with random kicks on a large instance: for its first solution, which it finds sooner than the policy
// does, and in place of the policy where nothing can be cut out.
#pragma once

#include <functional>
#include <vector>

#include "core/until.h"
#include "search/job.h"
#include "search/pace.h"

namespace neuopt::search {

/// Kicks that count as a step of the search by parts. On a CPU they take about half as long.
inline constexpr long kKicksPerStep = 200;

/// Hears the best cost so far, very often.
using KickWatch = std::function<void(double cost)>;

/// Improves the start of a prepared job by kicks, so many for each customer and step, in a share of the time at most.
/// The same for a seed, unless the clock or the flag ended it. A start that was asked for, given or hurried stays as it
/// is.
std::vector<int> kicked_start(const PreparedJob& job, std::vector<int> start, const SolveOptions& options,
                              const Until& until, const KickWatch& watch);

struct KickedRound {
  std::vector<int> order;  // the best tour
  long steps = 0;          // begun
  int copies = 0;          // side by side, of which it is the best
};

/// Improves a tour by the kicks of so many steps, fewer where the target, the clock or the flag ends them. The same for
/// a seed and round, unless the clock or the flag did.
KickedRound kicked_round(const PreparedJob& job, std::vector<int> from, long round, long steps,
                         const SolveOptions& options, const Until& until, const KickWatch& watch);

}  // namespace neuopt::search
