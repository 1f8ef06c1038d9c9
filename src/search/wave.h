// Jobs of equal size that are searched together: their copies, in one or more sessions of the backend that advance in
// turn.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "policy/backend.h"
#include "search/job.h"
#include "search/pace.h"

namespace neuopt::search {

/// The best copy of a job.
struct BestCopy {
  int copy = -1;    // in the wave
  double cost = 0;  // in the units of the search
};

/// Some of the copies of each job.
struct CopyRange {
  int first = 0;
  int count = 0;
};

class Wave {
 public:
  /// Opens the sessions, of at most `session_copies` copies each, on these copies of the jobs, which must outlive the
  /// wave and all have the same model. The pace has the wave's own deadline: no step is begun that would end after it.
  Wave(std::span<const PreparedJob> jobs, CopyRange range, policy::Backend& backend, int session_copies,
       const Pace& pace, const SolveOptions& options, const SolveCallbacks& callbacks);

  /// Takes up to `wanted` steps on every copy: fewer when the pace or the stop flag says so. Returns the steps that
  /// all copies took; 0 when the time or the stop flag ended the search.
  long advance(long wanted);

  std::span<const PreparedJob> jobs() const { return jobs_; }
  CopyRange range() const { return range_; }
  long step() const { return step_; }
  int copies() const { return copies_; }
  double step_seconds() const { return pace_.step_seconds(); }
  /// Since the sessions were opened.
  double seconds() const { return seconds_between(opened_, Clock::now()); }
  /// The best copy of jobs()[job]; the first one wins a tie.
  BestCopy best(std::size_t job) const;
  Solution solution(std::size_t job, int copy) const;
  policy::Visits visits() const;

 private:
  bool stopped() const { return stop_ != nullptr && *stop_; }
  /// The session of a copy of the wave; the copy within it is the remainder.
  const policy::Session& session_of(int copy) const {
    return *sessions_[static_cast<std::size_t>(copy / session_copies_)];
  }

  std::span<const PreparedJob> jobs_;  // the sessions point into them
  CopyRange range_;
  std::vector<std::unique_ptr<policy::Session>> sessions_;
  int session_copies_;  // in each session but the last
  int copies_ = 0;      // of all jobs
  long step_ = 0;
  Pace pace_;
  Clock::time_point opened_;
  const std::atomic<bool>* stop_;
};

}  // namespace neuopt::search
