#include "search/plain_search.h"

#include <algorithm>
#include <mutex>
#include <tuple>

#include "core/numbers.h"
#include "core/parallel.h"
#include "core/until.h"
#include "search/kick_share.h"
#include "search/starts.h"
#include "search/stop_rules.h"

namespace neuopt::search {
namespace {

/// When the search of one copy ends. A step is a kick.
class Rules {
 public:
  Rules(const SolveOptions& options, const SearchInstance& view, const Until& until)
      : rules_(options, view), share_(budget(options, until), options.steps.has_value()), until_(until) {}

  /// The share of the search that is done; 1 or more: all of it.
  double share_done(const local::IterateProgress& progress) {
    if (until_.stopped()) return ended(StopReason::interrupt);
    if (progress.best_cost < best_) last_better_ = progress.iterations;
    best_ = std::min(best_, progress.best_cost);
    if (const auto reason = rules_.by_any(best_, last_better_, progress.iterations)) return ended(*reason);
    return share_.out_of_time() ? ended(StopReason::time) : share_.done(progress.iterations);
  }

  StopReason reason() const { return reason_; }

 private:
  static KickBudget budget(const SolveOptions& options, const Until& until) {
    KickBudget budget{.seconds = std::max(0.0, until.seconds_left())};
    if (options.steps) budget.kicks = static_cast<double>(*options.steps);
    return budget;
  }

  double ended(StopReason reason) {
    reason_ = reason;
    return 1;
  }

  StopRules rules_;
  KickShare share_;
  Until until_;
  double best_ = kInfinity;
  std::int64_t last_better_ = 0;
  StopReason reason_ = StopReason::steps;
};

}  // namespace

int plain_copies(const SolveOptions& options, bool has_deadline) {
  return has_deadline && !options.steps ? std::min(options.copies, resolve_threads(options.threads)) : options.copies;
}

std::vector<PlainAnswer> search_plainly(std::span<const PreparedJob> jobs, const SolveOptions& options,
                                        std::optional<Clock::time_point> deadline, const std::atomic<bool>* stop,
                                        const std::function<void()>& watch) {
  const int threads = resolve_threads(options.threads);
  const int copies = plain_copies(options, deadline.has_value());
  const int items = static_cast<int>(jobs.size()) * copies;
  std::vector<PlainAnswer> answers(jobs.size());
  std::vector<int> chosen(jobs.size(), -1);  // the copies that they are of
  std::mutex mutex;
  parallel_for(items, threads, [&](int item, int worker) {
    const PreparedJob& prepared = jobs[static_cast<std::size_t>(item / copies)];
    const int copy = item % copies;
    std::optional<Clock::time_point> end = deadline;
    if (deadline) {  // a fair share of the time that is left
      const double share = std::min(1.0, static_cast<double>(threads) / (items - item));
      end = after(Clock::now(), share * std::max(0.0, seconds_between(Clock::now(), *deadline)));
    }
    Rules rules(options, prepared.view, {end, stop});
    local::IterateOptions iterate;
    iterate.random = Random{options.seed};
    iterate.instance_id = prepared.job->id;
    iterate.copy_id = static_cast<std::uint32_t>(copy);
    iterate.polish_start = !prepared.polished;
    if (options.steps) iterate.most_iterations = *options.steps;
    iterate.share_done = [&](const local::IterateProgress& progress) {
      if (worker == 0 && watch) watch();
      return rules.share_done(progress);
    };
    local::Iterated best =
        local::iterate(prepared.view, prepared.neighbours, start_of(prepared, options, copy), iterate);
    const std::lock_guard lock(mutex);
    PlainAnswer& answer = answers[static_cast<std::size_t>(item / copies)];
    int& owner = chosen[static_cast<std::size_t>(item / copies)];
    if (owner >= 0 && !(std::tie(best.cost, copy) < std::tie(answer.best.cost, owner))) return;
    answer = {.best = std::move(best), .stopped_by = rules.reason()};
    owner = copy;
  });
  return answers;
}

}  // namespace neuopt::search
