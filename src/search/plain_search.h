// The search without a network over prepared jobs: local search with random kicks (local/iterate.h), each copy of each
// job on a thread of its own in turn.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "local/iterate.h"
#include "search/job.h"
#include "search/pace.h"

namespace neuopt::search {

/// What became of a job.
struct PlainAnswer {
  local::Iterated best;  // of its copies; the first one wins a tie
  StopReason stopped_by = StopReason::steps;
};

/// Copies of each job. With the clock alone as a limit, those beyond the threads would only take time from the others.
int plain_copies(const SolveOptions& options, bool has_deadline);

/// `deadline` is that of these jobs, all of which are answered; `watch` is called now and then on the calling thread.
/// With the same seed the answers are the same at any number of threads, unless the clock or the stop flag ended a job.
std::vector<PlainAnswer> search_plainly(std::span<const PreparedJob> jobs, const SolveOptions& options,
                                        std::optional<Clock::time_point> deadline, const std::atomic<bool>* stop,
                                        const std::function<void()>& watch);

}  // namespace neuopt::search
