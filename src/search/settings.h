// What the options mean for a session of the backend, and whether they make sense.
#pragma once

#include "policy/backend.h"
#include "search/solve.h"

namespace neuopt::search {

/// The longest time limit, in seconds: far beyond anyone's patience, far within what a clock can count.
inline constexpr double kMostSeconds = 1e9;

/// The same for those who use the program or the Python package.
inline constexpr double kMostSecondsOffered = 1e7;

/// The most steps, or whatever else is counted: more than anyone has time for.
inline constexpr long kMostCount = 1'000'000'000;

/// The most copies of an instance, far beyond what a search gains from.
inline constexpr int kMostCopies = 1'000'000;

/// The most threads and the most copies in a session: an int holds the products that are made of them.
inline constexpr int kMostThreads = 4096;
inline constexpr int kMostSessionCopies = 10'000'000;

/// Throws InputError when there are no copies, a number is negative, too large or not finite, or the curve goes beyond
/// the steps.
void check_settings(const SolveOptions& options);

/// What a session of the backend is told. `usual_polish`: steps between two polishes where options do not say; 0: none.
policy::SessionOptions session_options(const SolveOptions& options, const policy::Model& model, int usual_polish = 0);

/// Throws InputError when there is no model or it is for another problem.
void check_model(const policy::Model* model, ProblemKind problem);

}  // namespace neuopt::search
