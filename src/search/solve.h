// What a search is told and what it tells: options, callbacks and results, for one instance or a set of them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/warning.h"
#include "problem/instance.h"

namespace neuopt::search {

class SearchObserver;  // search/observer.h

enum class StartKind {
  automatic,  // greedy, then local search
  random,     // the paper's: a random permutation, or the customers in index order
  greedy,     // what suits the problem: greedy edge (TSP), savings (CVRP), insertion (VRPTW)
  savings,    // for problems with a depot and without time windows
  curve,      // along a space-filling curve
};

inline constexpr std::array kStartKinds{StartKind::automatic, StartKind::random, StartKind::greedy, StartKind::savings,
                                        StartKind::curve};

/// The names of the program's options and of reports: "auto", "random", "greedy", "savings", "curve".
std::string start_name(StartKind start);
/// Nothing when there is none of that name.
std::optional<StartKind> parse_start(std::string_view name);

enum class StopReason { steps, time, target, patience, interrupt, exact };

/// "steps", "time", ...
std::string stop_reason_name(StopReason reason);

/// Every member has an initializer, so that naming a few of them draws no warning.
struct SolveOptions {
  // How the copies search.
  int copies = 8;             // A: searches of one instance side by side, each with its own augmentations
  int stall_limit = 10;       // T_D2A: steps without a new best before a copy draws an augmentation; 0: never
  bool augment_start = true;  // copies begin with a random augmentation
  std::uint64_t seed = 1;
  std::uint32_t first_place = 0;  // of the instances in a larger set; an instance draws the random numbers of its place
  int threads = 0;                // 0: all the machine offers
  std::string precision = {};     // "": the backend's default
  int session_copies = 0;  // copies in one session of the backend; 0: a fitting number. No influence on the answers
  /// Bytes of the host that sessions may take; 0: as much as is free. Fewer instances of a set are searched together
  /// then. Copies of one instance beyond it are searched in turns where steps end the search, and refused where
  /// anything else does, or where a limit has no room for one. Neither has influence on the answers. What instances and
  /// models take is not counted, nor a search by parts or without a policy.
  double memory_limit = 0;

  // Beyond the paper's search (0: never, as in its protocol).
  /// Steps between two polishes: local search from a copy of the current tour, its result kept. Nothing: the backend's.
  std::optional<int> polish = {};
  int restart = 100;                  // steps between two returns of a copy to its best tour
  std::optional<bool> by_parts = {};  // search parts of about 100 nodes in turn. Nothing: where the instance is large
  bool use_policy = true;             // false: local search with random kicks instead of the network; a step is a kick

  // Where they begin.
  StartKind start = StartKind::automatic;
  std::optional<Solution> initial = {};  // instead of `start`, for one instance; the answer is never worse

  // When they end: at the first rule that holds.
  std::optional<long> steps = 1000;       // T, for each copy; nothing: no limit
  std::optional<double> time_limit = {};  // seconds from the call, for all instances together
  /// The same as a point in time: fixed early, it covers the reading of files as well.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::optional<double> target_cost = {};  // in the file's units; ends an instance there or below, up to rounding
  long patience = 0;                       // ends an instance after that many steps without a better solution; 0: never

  std::vector<long> curve = {};  // steps at which the best cost is recorded, ascending, none beyond `steps`
};

/// The paper's protocol: the policy alone, from its random start. Copies and steps are the caller's.
SolveOptions paper_protocol();

struct Progress {
  int instances_done = 0;
  int instances = 0;            // in all
  long step = 0;                // of the instances in work, taken by every copy
  double best_cost = 0;         // mean of the instances in work, in the units of the file
  double seconds = 0;           // since the search began
  double feasible_share = 1;    // of the solutions visited by the instances in work
  double steps_per_second = 0;  // of all copies together
  // Where a large instance is searched by parts.
  long round = 0;             // 0: it is not
  int parts = 0;              // side by side in this round
  double improved_share = 0;  // of the last round's parts
};

struct SolveResult {
  int instance = 0;  // index in the set
  Solution solution;
  double cost = 0;            // by the file's convention, as the verifier counts it
  bool feasible = false;      // by the verifier
  std::optional<double> gap;  // (cost - reference) / reference, when the instance has a reference cost
  std::vector<double> curve;  // best cost at each of the curve's steps, as far as the search came; none by parts
  long steps = 0;             // taken by every copy
  int copies = 0;             // 0: solved without a search
  double seconds = 0;         // of the search
  double feasible_share = 1;  // of the solutions visited, by the instances searched together
  StopReason stopped_by = StopReason::steps;
  std::string model, checksum;  // "" when none was needed; the model is "none" without a policy
  std::string device;           // the backend's name
};

/// All run on the thread that called.
struct SolveCallbacks {
  std::function<void(const Progress&)> progress;     // some ten times a second, and at the end
  std::function<void(const SolveResult&)> finished;  // once for each instance, as it is done, in any order
  /// The best solution of an instance so far, whenever it became better; looked at some ten times a second. Random
  /// kicks (without a policy, and at the start of a large instance) hand theirs out when they end.
  std::function<void(int instance, double cost, const Solution& solution)> incumbent;
  SearchObserver* observer = nullptr;       // every step of every copy of one instance; slower
  WarningSink note;                         // what is unusual
  const std::atomic<bool>* stop = nullptr;  // ends the search soon after it becomes true
};

}  // namespace neuopt::search
