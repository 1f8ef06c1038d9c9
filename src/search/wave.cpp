#include "search/wave.h"

#include <algorithm>

#include "problem/start.h"
#include "search/observer.h"
#include "search/settings.h"
#include "search/starts.h"

namespace neuopt::search {
namespace {

/// The observer with copies counted over all sessions.
policy::StepObserver shifted(SearchObserver& observer, int first_copy) {
  return [&observer, first_copy](const policy::StepRecord& record) {
    policy::StepRecord whole = record;
    whole.copy += first_copy;
    observer.step(whole);
  };
}

}  // namespace

Wave::Wave(std::span<const PreparedJob> jobs, CopyRange range, policy::Backend& backend, int session_copies,
           const Pace& pace, const SolveOptions& options, const SolveCallbacks& callbacks)
    : jobs_(jobs), range_(range), session_copies_(session_copies), pace_(pace), stop_(callbacks.stop) {
  if (callbacks.observer != nullptr) {
    std::vector<std::vector<int>> starts;
    for (int copy = 0; copy < range.count; ++copy) starts.push_back(start_of(jobs_[0], options, range.first + copy));
    callbacks.observer->begin(jobs_[0].view, starts);
  }
  copies_ = range.count * static_cast<int>(jobs_.size());
  const std::shared_ptr<const policy::Model>& model = jobs_[0].job->model.model;
  const policy::SessionOptions settings =
      session_options(options, *model, backend.usual_polish_interval(model->architecture.problem));
  for (int first = 0; first < copies_; first += session_copies_) {
    std::vector<policy::Copy> copies;
    for (int i = first; i < std::min(first + session_copies_, copies_); ++i) {
      const PreparedJob& prepared = jobs_[static_cast<std::size_t>(i / range.count)];
      const int copy = range.first + i % range.count;
      copies.push_back({.instance = &prepared.view,
                        .instance_id = prepared.job->id,
                        .copy_id = static_cast<std::uint32_t>(copy),
                        .start = start_of(prepared, options, copy),
                        .neighbours = &prepared.neighbours});
    }
    sessions_.push_back(backend.open(model, copies, settings));
    if (callbacks.observer != nullptr) sessions_.back()->observe(shifted(*callbacks.observer, first));
  }
  opened_ = Clock::now();
}

long Wave::advance(long wanted) {
  const Clock::time_point begin = Clock::now();
  if (stopped()) return 0;
  const int steps = static_cast<int>(pace_.next(wanted, begin));
  long common = steps;
  for (const auto& session : sessions_) {
    const double share = static_cast<double>(session->copies()) / copies_;
    if (pace_.out_of_time(Clock::now(), share)) return 0;
    common = std::min<long>(common, session->advance(steps, stop_));
    if (stopped()) break;
    // The very first session is already a measure: a step of a large instance may take seconds.
    if (!pace_.measured()) pace_.record(steps, seconds_between(begin, Clock::now()) / share);
  }
  if (!stopped()) pace_.record(steps, seconds_between(begin, Clock::now()));
  // After a stop in mid-round the sessions stand at different steps; nothing runs after that.
  if (stopped() && sessions_.size() > 1) common = 0;
  step_ += common;
  return common;
}

BestCopy Wave::best(std::size_t job) const {
  const int count = copies_ / static_cast<int>(jobs_.size());
  const int first = static_cast<int>(job) * count;
  BestCopy best;
  for (int copy = first; copy < first + count; ++copy) {
    const double cost = session_of(copy).best_cost(copy % session_copies_);
    if (best.copy < 0 || cost < best.cost) best = {copy, cost};
  }
  return best;
}

Solution Wave::solution(std::size_t job, int copy) const {
  return to_solution(jobs_[job].view, session_of(copy).best_tour(copy % session_copies_));
}

policy::Visits Wave::visits() const {
  policy::Visits sum;
  for (const auto& session : sessions_) sum += session->visits();
  return sum;
}

}  // namespace neuopt::search
