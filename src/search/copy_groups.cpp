#include "search/copy_groups.h"

#include <algorithm>
#include <limits>

#include "core/parallel.h"
#include "search/session_size.h"

namespace neuopt::search {
namespace {

int copies_per_session(const SearchInstance& instance, const policy::Backend& backend, const SolveOptions& options) {
  if (options.session_copies > 0) return options.session_copies;
  if (const int preferred = backend.preferred_copies(instance.size()); preferred > 0) return preferred;
  const int threads = resolve_threads(options.threads);
  return options.deadline ? responsive_copies(instance.size(), threads) : throughput_copies(instance.size(), threads);
}

/// The observer with copies counted over all sessions.
policy::StepObserver shifted(SearchObserver& observer, int first_copy) {
  return [&observer, first_copy](const policy::StepRecord& record) {
    policy::StepRecord whole = record;
    whole.copy += first_copy;
    observer.step(whole);
  };
}

}  // namespace

CopyGroups::CopyGroups(const SearchInstance& instance, const std::shared_ptr<const policy::Model>& model,
                       policy::Backend& backend, std::vector<std::vector<int>> starts, const SolveOptions& options,
                       const SolveCallbacks& callbacks)
    : copies_(static_cast<int>(starts.size())), pace_(options.deadline), stop_(callbacks.stop) {
  if (callbacks.observer != nullptr) callbacks.observer->begin(instance, starts);
  const int session_copies = copies_per_session(instance, backend, options);
  for (int first = 0; first < copies_; first += session_copies) {
    const int count = std::min(session_copies, copies_ - first);
    std::vector<policy::Copy> batch;
    for (int copy = first; copy < first + count; ++copy)
      batch.push_back({&instance, 0, static_cast<std::uint32_t>(copy), std::move(starts[copy])});
    groups_.push_back({backend.open(model, batch, session_options(options, *model)), count});
    if (callbacks.observer != nullptr) groups_.back().session->observe(shifted(*callbacks.observer, first));
  }
}

long CopyGroups::advance(long wanted) {
  const Clock::time_point begin = Clock::now();
  if (stopped()) return 0;
  const int steps = static_cast<int>(pace_.next(wanted, begin));
  long common = steps;
  for (Group& group : groups_) {
    const double share = static_cast<double>(group.copies) / copies_;
    if (pace_.out_of_time(Clock::now(), share)) return 0;
    common = std::min<long>(common, group.session->advance(steps, stop_));
    if (stopped()) break;
    // The very first group is already a measure: a step of a large instance may take seconds.
    if (pace_.step_seconds() == 0) pace_.record(steps, seconds_between(begin, Clock::now()) / share);
  }
  if (!stopped()) pace_.record(steps, seconds_between(begin, Clock::now()));
  // After a stop in mid-round the groups stand at different steps; nothing runs after that.
  if (stopped() && groups_.size() > 1) common = 0;
  step_ += common;
  return common;
}

double CopyGroups::best_cost() const {
  double best = std::numeric_limits<double>::infinity();
  for (const Group& group : groups_)
    for (int copy = 0; copy < group.copies; ++copy) best = std::min(best, group.session->status(copy).best_cost);
  return best;
}

Best CopyGroups::best() const {
  Best best{std::numeric_limits<double>::infinity(), {}};
  const Group* holder = nullptr;
  int best_copy = 0;
  for (const Group& group : groups_)
    for (int copy = 0; copy < group.copies; ++copy) {
      const double cost = group.session->status(copy).best_cost;
      if (!(cost < best.cost)) continue;  // the first copy wins a tie
      best.cost = cost;
      holder = &group;
      best_copy = copy;
    }
  if (holder != nullptr) best.order = holder->session->best_tour(best_copy);
  return best;
}

double CopyGroups::feasible_share() const {
  double sum = 0;
  for (const Group& group : groups_) sum += group.session->feasible_share() * group.copies;
  return sum / copies_;
}

}  // namespace neuopt::search
