// Where the copies of a search begin.
#pragma once

#include "core/warning.h"
#include "search/job.h"

namespace neuopt::search {

/// Makes a job ready, which must outlive the result. An initial solution over capacity is cut into more routes,
/// which `note` is told. Throws InputError when the initial solution is none of this instance.
PreparedJob prepare(const Job& job, int copies, std::uint64_t seed, const WarningSink& note);

}  // namespace neuopt::search
