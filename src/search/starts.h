// Where the copies of a search begin.
#pragma once

#include <deque>
#include <span>

#include "core/until.h"
#include "core/warning.h"
#include "search/job.h"

namespace neuopt::search {

/// Makes jobs, which must outlive the result, ready side by side. Routes of an initial solution that are overloaded or
/// late are cut into more, which `note` is told. When the time is over or too short, a start is a quicker one than
/// asked for, or its local search ends where it stands. No start has more routes than there are vehicles, and no tour
/// has room for more, unless no such start is found, which `note` is told, too, in the order of the jobs and by the
/// calling thread. Throws InputError when an initial solution is none of its instance.
std::deque<PreparedJob> prepare(std::span<const Job* const> jobs, const SolveOptions& options, const Until& until,
                                const WarningSink& note);

/// The tour that a copy begins with.
std::vector<int> start_of(const PreparedJob& prepared, const SolveOptions& options, int copy);

/// The start of one copy as a solution.
Solution make_start(const Instance& instance, StartKind start, std::uint64_t seed);

}  // namespace neuopt::search
