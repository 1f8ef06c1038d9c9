// One search over many jobs, as search/search.h tells it. Steps 1 and 2 are in search.cpp; what ends with an answer,
// step 3 and the ways around the waves, is in answers.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/numbers.h"
#include "core/until.h"
#include "search/search.h"
#include "search/wave.h"

namespace neuopt::search {

inline constexpr double kReportSeconds = 0.1;  // between two looks for progress and incumbents
inline constexpr int kLateNotes = 3;           // one for each of the first instances answered late; of more, one in all

/// What copies of a job that had their turn have found.
struct Found {
  double cost = 0;  // in the units of the search
  Solution solution;
  policy::Visits visits;  // by the jobs searched together
  SolveResult result;     // curve, steps, seconds and reason
};

/// What is remembered about a job while it is searched.
struct Running {
  double best = kInfinity;    // in the units of the search, at the last look at target and patience
  long last_better = 0;       // the step at which it was seen first
  double shown = kInfinity;   // of the last incumbent that was handed out, in the units of the search
  std::vector<double> curve;  // in the units of the file
  bool done = false;          // in this wave
  bool answered = false;
  std::optional<Found> found;  // by the copies of earlier waves
};

/// What a search says that its solution costs, in the units of the file.
struct Claim {
  double cost = 0;
  double error = 0;  // by which it may be off, since the search's coordinates are rounded

  bool agrees_with(double verified) const {
    return std::abs(verified - cost) <= error + 1e-5 * std::max(std::abs(cost), 1e-3);
  }
};

/// How the copies of a job are searched.
struct CopyShape {
  int session = 0;  // copies in one session
  int turn = 0;     // copies at once; the others wait
};

/// What runs behind search_jobs.
class Search {
 public:
  Search(std::span<const Job> jobs, policy::Backend& backend, const SolveOptions& options,
         const SolveCallbacks& callbacks)
      : jobs_(jobs), backend_(backend), options_(options), callbacks_(callbacks) {
    for (const Job& job : jobs) work_left_ += expected_work(job);
    progress_.instances = static_cast<int>(jobs.size());
  }

  std::vector<SolveResult> run();

 private:
  using Group = std::vector<PreparedJob>;

  Until until(std::optional<Clock::time_point> deadline) const { return {deadline, callbacks_.stop}; }
  bool stopped() const { return until({}).stopped(); }
  bool watches_cost() const { return options_.target_cost.has_value() || options_.patience > 0; }

  // Step 1: waves.
  double expected_work(const Job& job) const;
  std::vector<const Job*> in_order_of_size() const;
  std::deque<PreparedJob> prepare_some(std::span<const Job* const> jobs) const;
  int copies_per_session(int nodes) const;
  double session_bytes(const PreparedJob& prepared, int copies) const;
  double room_for_sessions(bool can_wait) const;
  std::size_t jobs_together(const PreparedJob& prepared) const;
  [[noreturn]] void refuse_copies(int nodes, double bytes, double alone, double room) const;
  CopyShape shape_of(const PreparedJob& prepared) const;
  std::optional<Clock::time_point> share_of_time(double share) const;
  void search(Group group);
  void in_turns(const Group& group, std::optional<Clock::time_point> deadline, CopyShape shape, double step_seconds);

  // Step 2: one wave.
  void until_stopped(Wave& wave, std::vector<Running>& running);
  long steps_wanted(long step, std::size_t curve_points) const;
  void look_at_costs(const Wave& wave, std::vector<Running>& running) const;
  std::optional<StopReason> rule_of(const Wave& wave, std::size_t place, const Running& running) const;
  void finish(const Wave& wave, std::vector<Running>& running, std::optional<StopReason> all = std::nullopt);
  Found found_by(const Wave& wave, std::size_t place, const policy::Visits& visits, StopReason reason,
                 Running& job) const;
  void update_progress(const Wave& wave, const std::vector<Running>& running);
  void show_incumbents(const Wave& wave, std::vector<Running>& running) const;

  void in_parts(const PreparedJob& prepared, std::optional<Clock::time_point> deadline);
  void without_policy(const Group& group, std::optional<Clock::time_point> deadline);

  // Step 3: answers.
  void answer_tiny(const Job& job);
  void solve_tiny(const Job& job);
  void answer_with_starts(const Group& group);
  void note_late(const Instance& instance, double seconds);
  void note_more_late() const;
  /// `cost` is in the units of the search.
  void accept(const PreparedJob& prepared, Solution solution, double cost, SolveResult result, bool new_best = true);
  void accept(const Job& job, Solution solution, const Claim& claim, SolveResult result, bool new_best = true,
              const std::optional<Solution>& fitted = {});
  int index_of(const Job& job) const { return static_cast<int>(&job - jobs_.data()); }

  std::span<const Job> jobs_;
  policy::Backend& backend_;
  SolveOptions options_;
  const SolveCallbacks& callbacks_;
  double work_left_ = 0;         // of the jobs not begun
  double seconds_per_work_ = 0;  // as the last wave took; 0: unknown
  bool begun_ = false;
  Clock::time_point begin_ = Clock::now(), looked_ = begin_;
  double steps_done_ = 0;  // of all copies
  int late_ = 0;           // instances answered after the deadline, for want of any solution before
  Progress progress_;
  std::vector<SolveResult> results_;
};

}  // namespace neuopt::search
