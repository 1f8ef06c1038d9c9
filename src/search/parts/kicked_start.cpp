#include "search/parts/kicked_start.h"

#include <algorithm>
#include <cmath>

#include "core/numbers.h"
#include "core/parallel.h"
#include "local/iterate.h"
#include "search/stop_rules.h"

namespace neuopt::search {
namespace {

// Chosen by measurement (docs/large-instances.md).
constexpr double kShareOfTime = 0.3;  // of what is left
// Where steps are to end the search, the smaller of the two; the first alone where neither they nor a clock are:
constexpr double kKicksPerCustomer = 200;
constexpr double kKicksPerStep = 200;  // takes about as long as that share on a CPU

/// Kicks of a start; infinite: the clock ends it.
double most_kicks(const PreparedJob& job, const SolveOptions& options, const Until& until) {
  const double by_size = kKicksPerCustomer * job.view.customers();
  if (options.steps) return std::min(by_size, kKicksPerStep * static_cast<double>(*options.steps));
  return until.deadline ? kInfinity : by_size;
}

/// How far a start has come.
class StartShare {
 public:
  StartShare(const PreparedJob& job, const SolveOptions& options, const Until& until)
      : until_(until),
        rules_(options, job.view.cost_scale),
        seconds_(kShareOfTime * until.seconds_left()),
        kicks_(most_kicks(job, options, until)) {}

  /// With a number of kicks the clock may end it, but changes nothing before that.
  double operator()(const local::IterateProgress& progress) const {
    const double by_clock = seconds_between(begin_, Clock::now()) / seconds_;
    if (until_.stopped() || !(by_clock < 1) || rules_.at_target(progress.best_cost)) return 1;
    return std::isfinite(kicks_) ? static_cast<double>(progress.iterations) / kicks_ : by_clock;
  }

 private:
  Until until_;
  StopRules rules_;
  double seconds_, kicks_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

std::vector<int> kicked_start(const PreparedJob& job, std::vector<int> start, const SolveOptions& options,
                              const Until& until, const std::function<void(double cost)>& watch) {
  const bool asked_for = job.job->start != StartKind::automatic || job.job->initial != nullptr;
  if (asked_for || job.hurried || until.over()) return start;
  const StartShare share(job, options, until);
  // Several tries at once, where the clock ends them anyway.
  const bool by_kicks = std::isfinite(most_kicks(job, options, until));
  std::vector<local::Iterated> tries(by_kicks ? 1 : static_cast<std::size_t>(resolve_threads(options.threads)));
  parallel_for(static_cast<int>(tries.size()), static_cast<int>(tries.size()), [&](int i, int worker) {
    local::IterateOptions iterate;
    iterate.random = Random{options.seed};
    iterate.instance_id = job.job->id;
    iterate.copy_id = static_cast<std::uint32_t>(i);
    iterate.polish_start = !job.polished;
    iterate.share_done = [&](const local::IterateProgress& progress) {
      if (worker == 0) watch(progress.best_cost);
      return share(progress);
    };
    tries[static_cast<std::size_t>(i)] = local::iterate(job.view, job.neighbours, start, iterate);
  });
  const auto best =
      std::min_element(tries.begin(), tries.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  return std::isfinite(best->cost) ? std::move(best->order) : start;
}

}  // namespace neuopt::search
