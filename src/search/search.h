// One search over many jobs. The steps, numbered as in the code:
//   1. jobs of one size and model are gathered into waves, so that memory stays bounded: view and starts are made,
//   2. the copies of a wave advance together until a stopping rule holds for every job of it (search/wave.h),
//   3. the best solution of a job is judged by the verifier, which shares no code with the search, and handed out.
#pragma once

#include <span>
#include <vector>

#include "policy/backend.h"
#include "search/job.h"

namespace neuopt::search {

/// Steps between two looks at target and patience.
inline constexpr long kCheckInterval = 10;

/// Searches all jobs; the result's `instance` is the place among them. Tiny ones (search/exact.h) are solved exactly,
/// without a model. Options that a job has of its own (start, initial) are the job's; the time limit is not looked at,
/// only the deadline.
///
/// With the same seed the answers are the same, bit for bit, whatever the threads, session_copies and the other jobs,
/// unless the clock or the stop flag ended the search. Target and patience are looked at every kCheckInterval steps for
/// that reason.
///
/// A deadline is for all jobs: each wave gets its share of the time left by its expected work, and every job is
/// answered, with its start when no time is left. A stop flag leaves out what was not begun; the first wave always is.
///
/// Throws InputError when the options or an instance make no sense, or a model is for another problem.
std::vector<SolveResult> search_jobs(std::span<const Job> jobs, policy::Backend& backend, const SolveOptions& options,
                                     const SolveCallbacks& callbacks = {});

}  // namespace neuopt::search
