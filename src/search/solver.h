// The solver: copies of one instance are searched side by side until a stopping rule holds; the best solution of all
// is verified by code that the search does not share and handed out.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/warning.h"
#include "policy/backend.h"
#include "problem/instance.h"
#include "search/pace.h"
#include "search/settings.h"

namespace neuopt::search {

enum class StartKind {
  automatic,  // random near the model's size, greedy well above it and above 200 nodes
  random,     // problem/start.h: standard_start
  greedy,     // problem/start.h: greedy_start
};

enum class StopReason { steps, time, target, patience, interrupt, exact };

/// "steps", "time", ...
std::string stop_reason_name(StopReason reason);

struct SolveOptions : SearchSettings {
  SolveOptions() { copies = 8; }

  std::optional<long> steps = 1000;           // T; nothing: no limit
  std::optional<Clock::time_point> deadline;  // the answer is there by then; fixed early, it covers loading as well
  std::optional<double> target_cost;          // ends at this cost or below, in the units of the file
  long patience = 0;                          // ends after that many steps without a better solution; 0: never
  StartKind start = StartKind::automatic;
  std::optional<Solution> initial;  // instead of `start`; the answer is never worse than this one when it is feasible
};

struct Progress {
  long step = 0;                // taken by every copy
  double best_cost = 0;         // in the units of the file
  double seconds = 0;           // since the search began
  double feasible_share = 1;    // of the solutions visited
  double steps_per_second = 0;  // of all copies together
};

/// Watches a search step by step: costs in the units of the search, nodes as the search numbers them.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;
  /// Before the first step; the instance stays valid until solve returns. starts[c] is the first tour of copy c.
  virtual void begin(const SearchInstance& instance, std::span<const std::vector<int>> starts) = 0;
  virtual void step(const policy::StepRecord& record) = 0;
};

struct SolveCallbacks {
  std::function<void(const Progress&)> progress;  // some ten times a second, and at the end
  SearchObserver* observer = nullptr;             // every step of every copy; makes the search slower
  WarningSink note;                               // what is unusual
  const std::atomic<bool>* stop = nullptr;        // ends the search soon after it becomes true
};

struct SolveResult {
  Solution solution;  // verified
  double cost = 0;    // by the file's convention
  long steps = 0;     // taken by every copy
  int copies = 0;
  double seconds = 0;         // of the search
  double feasible_share = 1;  // of the solutions visited
  StopReason stopped_by = StopReason::steps;
};

/// Solves an instance. Tiny ones (search/exact.h) are solved exactly, and `model` may be null for them.
///
/// With the same seed the answer is the same, bit for bit, whatever the threads and session_copies, unless the clock
/// or `stop` ended the search. Target and patience are looked at every kCheckInterval steps for that reason.
///
/// Throws InputError when the options or the instance make no sense, or the model is for another problem.
SolveResult solve(const Instance& instance, std::shared_ptr<const policy::Model> model, policy::Backend& backend,
                  const SolveOptions& options, const SolveCallbacks& callbacks = {});

/// Steps between two looks at target and patience.
inline constexpr long kCheckInterval = 10;

}  // namespace neuopt::search
