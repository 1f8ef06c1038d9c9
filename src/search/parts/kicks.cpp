#include "search/parts/kicks.h"

#include <algorithm>
#include <cmath>

#include "core/numbers.h"
#include "core/parallel.h"
#include "local/iterate.h"
#include "search/kick_share.h"
#include "search/stop_rules.h"

namespace neuopt::search {
namespace {

// Chosen by measurement (docs/large-instances.md).
constexpr double kStartShareOfTime = 0.3;  // of what is left
constexpr double kStartKicksPerCustomer = 200;

/// Where steps are to end the search, the smaller of two numbers of kicks; the first alone where neither they nor a
/// clock are.
KickBudget start_budget(const PreparedJob& job, const SolveOptions& options, const Until& until) {
  KickBudget budget{.seconds = kStartShareOfTime * until.seconds_left()};
  if (options.steps || !until.deadline) budget.kicks = kStartKicksPerCustomer * job.view.customers();
  if (options.steps) budget.kicks = std::min(budget.kicks, static_cast<double>(kKicksPerStep) * *options.steps);
  return budget;
}

/// Several tries at once where the clock ends the search anyway, whose answer is not the same twice.
int tries_at_once(const SolveOptions& options, const Until& until) {
  return options.steps || !until.deadline ? 1 : resolve_threads(options.threads);
}

/// The best of the tries, which draw the random numbers of copies from `first_copy` on.
local::Iterated kick(const PreparedJob& job, const std::vector<int>& from, const SolveOptions& options,
                     const Until& until, const KickBudget& budget, std::uint32_t first_copy, const KickWatch& watch) {
  const KickShare share(budget, options.steps.has_value());
  const StopRules rules(options, job.view);
  std::vector<local::Iterated> tries(static_cast<std::size_t>(tries_at_once(options, until)));
  parallel_for(static_cast<int>(tries.size()), static_cast<int>(tries.size()), [&](int i, int worker) {
    local::IterateOptions iterate;
    iterate.random = Random{options.seed};
    iterate.instance_id = job.job->id;
    iterate.copy_id = first_copy + static_cast<std::uint32_t>(i);
    iterate.polish_start = !job.polished;
    iterate.share_done = [&](const local::IterateProgress& progress) {
      if (worker == 0) watch(progress.best_cost);
      // Some kicks come first: what the search around them makes of the target may differ in the last digit, and it
      // must not go round and round with nothing done.
      const bool there = progress.iterations > 0 && rules.at_target(progress.best_cost);
      return until.stopped() || share.out_of_time() || there ? 1 : share.done(progress.iterations);
    };
    tries[static_cast<std::size_t>(i)] = local::iterate(job.view, job.neighbours, from, iterate);
  });
  return std::move(
      *std::min_element(tries.begin(), tries.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; }));
}

}  // namespace

std::vector<int> kicked_start(const PreparedJob& job, std::vector<int> start, const SolveOptions& options,
                              const Until& until, const KickWatch& watch) {
  const bool asked_for = job.job->start != StartKind::automatic || job.job->initial != nullptr;
  if (asked_for || job.hurried || until.over()) return start;
  local::Iterated best = kick(job, start, options, until, start_budget(job, options, until), 0, watch);
  return std::isfinite(best.cost) ? std::move(best.order) : start;
}

KickedRound kicked_round(const PreparedJob& job, std::vector<int> from, long round, long steps,
                         const SolveOptions& options, const Until& until, const KickWatch& watch) {
  const KickBudget budget{.kicks = static_cast<double>(kKicksPerStep) * steps,
                          .seconds = std::max(0.0, until.seconds_left() - kAnswerReserve)};
  const int copies = tries_at_once(options, until);
  // The numbers of the start are not drawn again.
  const auto first_copy = static_cast<std::uint32_t>((round + 1) * copies);
  local::Iterated best = kick(job, from, options, until, budget, first_copy, watch);
  return {.order = std::isfinite(best.cost) ? std::move(best.order) : std::move(from),
          .steps = std::min<long>(steps, (best.iterations + kKicksPerStep - 1) / kKicksPerStep),
          .copies = copies};
}

}  // namespace neuopt::search
