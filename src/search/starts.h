// Where the copies of a search begin.
#pragma once

#include "core/warning.h"
#include "search/job.h"

namespace neuopt::search {

/// Makes a job ready, which must outlive the result. An initial solution over capacity is cut into more routes,
/// which `note` is told. No start has more routes than there are vehicles, and no tour has room for more, unless no
/// such start is found, which `note` is told, too. Throws InputError when the initial solution is none of this
/// instance.
PreparedJob prepare(const Job& job, const SolveOptions& options, const WarningSink& note);

/// The start of one copy as a solution.
Solution make_start(const Instance& instance, StartKind start, std::uint64_t seed);

}  // namespace neuopt::search
