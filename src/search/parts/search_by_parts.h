// The search of a large instance, in rounds: parts of about a hundred nodes are cut out of the present solution, the
// policy searches all of them side by side, what it found is put back, and local search goes over the seams. Where
// nothing can be cut out, a round is local search with random kicks.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "policy/backend.h"
#include "search/job.h"
#include "search/pace.h"

namespace neuopt::search {

/// Whether an instance is searched by parts.
bool by_parts(const SearchInstance& instance, const SolveOptions& options);
/// What can be said of it before there are starts: one with many routes may need more nodes.
bool by_parts(const Instance& instance, const SolveOptions& options);

/// Throws InputError when somebody watches who does not know that a search by parts goes in rounds.
void refuse_watching_parts(const Instance& instance, const SolveCallbacks& callbacks);

/// Where such a search stands.
struct RoundProgress {
  long round = 0;
  long steps = 0;             // taken by every copy, in all rounds
  int copies = 0;             // of all parts together
  int parts = 0;              // of this round
  double improved_share = 0;  // of the parts of the last round
  double feasible_share = 1;
  double best_cost = 0;   // in the units of the search
  double order_cost = 0;  // of the best order; more than the best cost while kicks run, whose tour comes when they end
  const std::vector<int>* best_order = nullptr;
};

struct PartsAnswer {
  std::vector<int> order;  // the best tour
  RoundProgress end;       // without pointers that are valid
  StopReason stopped_by = StopReason::steps;
};

/// Called some ten times a second.
using RoundWatch = std::function<void(const RoundProgress&)>;

/// Searches a prepared job with the model of its parts, until a rule of the options holds, the deadline comes or the
/// stop flag is set. Of the callbacks it serves observer and note alone. With the same seed the answer is the same at
/// any number of threads, unless the clock or the flag ended the search.
PartsAnswer search_by_parts(const PreparedJob& job, policy::Backend& backend, const SolveOptions& options,
                            std::optional<Clock::time_point> deadline, const SolveCallbacks& callbacks,
                            const RoundWatch& watch);

}  // namespace neuopt::search
