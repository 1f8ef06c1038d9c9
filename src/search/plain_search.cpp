#include "search/plain_search.h"

#include <algorithm>

#include "core/parallel.h"

namespace neuopt::search {
namespace {

/// When the search of one copy ends. A step is a kick.
class Rules {
 public:
  Rules(const SolveOptions& options, double cost_scale, std::optional<Clock::time_point> deadline,
        const std::atomic<bool>* stop)
      : options_(options), scale_(cost_scale), deadline_(deadline), stop_(stop) {}

  /// The share of the search that is done; 1 or more: all of it.
  double share_done(const local::IterateProgress& progress) {
    if (stop_ != nullptr && *stop_) return ended(StopReason::interrupt);
    if (progress.best_cost < best_) last_better_ = progress.iterations;
    best_ = std::min(best_, progress.best_cost);
    if (options_.target_cost && best_ * scale_ <= *options_.target_cost * (1 + 1e-9)) return ended(StopReason::target);
    if (options_.patience > 0 && progress.iterations - last_better_ >= options_.patience)
      return ended(StopReason::patience);
    double share = 0;
    if (deadline_) {
      const double whole = seconds_between(begin_, *deadline_);
      share = whole > 0 ? seconds_between(begin_, Clock::now()) / whole : 1;
      if (share >= 1) return ended(StopReason::time);
    }
    if (!options_.steps) return share;
    if (progress.iterations >= *options_.steps) return ended(StopReason::steps);
    return std::max(share, static_cast<double>(progress.iterations) / static_cast<double>(*options_.steps));
  }

  StopReason reason() const { return reason_; }

 private:
  double ended(StopReason reason) {
    reason_ = reason;
    return 1;
  }

  const SolveOptions& options_;
  double scale_;
  std::optional<Clock::time_point> deadline_;
  const std::atomic<bool>* stop_;
  Clock::time_point begin_ = Clock::now();
  double best_ = std::numeric_limits<double>::infinity();
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
  std::vector<PlainAnswer> found(static_cast<std::size_t>(items));
  parallel_for(items, threads, [&](int item, int worker) {
    const PreparedJob& prepared = jobs[static_cast<std::size_t>(item / copies)];
    const auto copy = static_cast<std::size_t>(item % copies);
    std::optional<Clock::time_point> end = deadline;
    if (deadline) {  // a fair share of the time that is left
      const double share = std::min(1.0, static_cast<double>(threads) / (items - item));
      end = after(Clock::now(), share * std::max(0.0, seconds_between(Clock::now(), *deadline)));
    }
    Rules rules(options, prepared.view.cost_scale, end, stop);
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
    PlainAnswer& answer = found[static_cast<std::size_t>(item)];
    answer.best = local::iterate(prepared.view, prepared.neighbours, prepared.starts[copy], iterate);
    answer.stopped_by = rules.reason();
  });
  std::vector<PlainAnswer> answers;
  for (std::size_t first = 0; first < found.size(); first += static_cast<std::size_t>(copies)) {
    const auto begin = found.begin() + static_cast<std::ptrdiff_t>(first);
    answers.push_back(*std::min_element(begin, begin + copies,
                                        [](const auto& a, const auto& b) { return a.best.cost < b.best.cost; }));
  }
  return answers;
}

}  // namespace neuopt::search
