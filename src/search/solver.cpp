#include "search/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "problem/normalize.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "search/copy_groups.h"
#include "search/exact.h"
#include "search/starts.h"

namespace neuopt::search {
namespace {

constexpr double kReportSeconds = 0.1;  // between two calls of the progress callback

void check_options(const SolveOptions& options, const SolveCallbacks& callbacks) {
  check_settings(options);
  if (options.steps && *options.steps < 0)
    throw InputError(fmt::format("steps: {}, expected 0 or more", *options.steps));
  if (options.patience < 0) throw InputError(fmt::format("patience: {}, expected 0 or more", options.patience));
  if (!options.steps && !options.deadline && !options.target_cost && options.patience == 0 && callbacks.stop == nullptr)
    throw InputError("the search would never end: it needs a number of steps, a deadline, a target or patience");
}

/// Step 1: the search's view of the instance, and the tours that its copies begin with.
struct Beginning {
  SearchInstance search;
  std::vector<std::vector<int>> starts;
};

Beginning prepare(const Instance& instance, const SolveOptions& options, int trained_size, const WarningSink& note) {
  Beginning beginning;
  std::optional<Solution> initial = options.initial;
  const auto build = [&] {
    SearchOptions search_options;
    if (initial && instance.kind == ProblemKind::cvrp)
      search_options.min_depots = 1 + static_cast<int>(std::count_if(initial->routes.begin(), initial->routes.end(),
                                                                     [](const auto& route) { return !route.empty(); }));
    beginning.search = make_search_instance(instance, search_options);
  };
  build();
  if (initial) start_from(beginning.search, *initial);  // throws when it is no solution at all
  if (initial && instance.kind == ProblemKind::cvrp && !verify(instance, *initial).feasible) {
    initial = split_overloaded(instance, *initial);
    if (note) note("the initial solution exceeds the capacity; its overloaded routes were cut into several");
    build();
  }
  if (initial)
    beginning.starts.assign(static_cast<std::size_t>(options.copies), start_from(beginning.search, *initial));
  else
    beginning.starts = choose_starts(beginning.search, options, trained_size);
  return beginning;
}

/// Step 2: advances the copies until a stopping rule holds.
class Run {
 public:
  Run(CopyGroups& groups, double cost_scale, const SolveOptions& options, const SolveCallbacks& callbacks)
      : groups_(groups), scale_(cost_scale), options_(options), callbacks_(callbacks), begin_(Clock::now()) {}

  StopReason until_stopped() {
    StopReason reason = StopReason::steps;
    best_ = groups_.best_cost();
    while (!rule_holds(reason)) {
      if (groups_.advance(steps_wanted()) == 0) {
        reason = callbacks_.stop != nullptr && *callbacks_.stop ? StopReason::interrupt : StopReason::time;
        break;
      }
      if (callbacks_.progress && seconds_between(reported_, Clock::now()) >= kReportSeconds) report();
    }
    if (callbacks_.progress) report();
    return reason;
  }

  double seconds() const { return seconds_between(begin_, Clock::now()); }

 private:
  bool watches_cost() const { return options_.target_cost.has_value() || options_.patience > 0; }

  long steps_wanted() const {
    long wanted = 1'000'000;
    if (options_.steps) wanted = std::min(wanted, *options_.steps - groups_.step());
    if (watches_cost()) wanted = std::min(wanted, kCheckInterval - groups_.step() % kCheckInterval);
    return wanted;
  }

  bool rule_holds(StopReason& reason) {
    const long step = groups_.step();
    if (watches_cost() && step % kCheckInterval == 0) {
      const double cost = groups_.best_cost();
      if (cost < best_) last_better_ = step;
      best_ = std::min(best_, cost);
      reason = StopReason::target;
      if (options_.target_cost && best_ * scale_ <= *options_.target_cost * (1 + 1e-9)) return true;
      reason = StopReason::patience;
      if (options_.patience > 0 && step - last_better_ >= options_.patience) return true;
    }
    reason = StopReason::steps;
    return options_.steps && step >= *options_.steps;
  }

  void report() {
    reported_ = Clock::now();
    Progress progress;
    progress.step = groups_.step();
    progress.best_cost = groups_.best_cost() * scale_;
    progress.seconds = seconds_between(begin_, reported_);
    progress.feasible_share = groups_.feasible_share();
    if (progress.seconds > 0)
      progress.steps_per_second = static_cast<double>(progress.step) * groups_.copies() / progress.seconds;
    callbacks_.progress(progress);
  }

  CopyGroups& groups_;
  double scale_;
  const SolveOptions& options_;
  const SolveCallbacks& callbacks_;
  Clock::time_point begin_;
  Clock::time_point reported_ = begin_;
  double best_ = 0;
  long last_better_ = 0;
};

/// Step 3: the answer, judged by the verifier. What it rejects is a defect of the program, not of the input.
void accept(const Instance& instance, const SolveOptions& options, Solution solution, double claimed_cost,
            SolveResult& result) {
  const Verdict verdict = verify(instance, solution);
  if (!verdict.feasible)
    throw Error("internal error: the search's best solution is not feasible: " +
                (verdict.findings.empty() ? "no reason given" : verdict.findings.front()));
  if (std::abs(verdict.cost - claimed_cost) > 1e-5 * std::max(std::abs(claimed_cost), 1e-3))
    throw Error(
        fmt::format("internal error: the search claims cost {}, its solution costs {}", claimed_cost, verdict.cost));
  result.solution = std::move(solution);
  result.cost = verdict.cost;
  if (!options.initial) return;
  const Verdict initial = verify(instance, *options.initial);
  if (!initial.feasible || initial.cost > result.cost) return;
  result.solution = *options.initial;
  result.cost = initial.cost;
}

SolveResult solve_tiny(const Instance& instance, const SolveOptions& options) {
  SolveResult result;
  const Clock::time_point begin = Clock::now();
  Solution solution = solve_exactly(instance);
  const double cost = solution_cost(instance, solution);
  accept(instance, options, std::move(solution), cost, result);
  result.seconds = seconds_between(begin, Clock::now());
  result.stopped_by = StopReason::exact;
  return result;
}

}  // namespace

std::string stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::steps:
      return "steps";
    case StopReason::time:
      return "time";
    case StopReason::target:
      return "target";
    case StopReason::patience:
      return "patience";
    case StopReason::interrupt:
      return "interrupt";
    case StopReason::exact:
      return "exact";
  }
  return "unknown";
}

SolveResult solve(const Instance& instance, std::shared_ptr<const policy::Model> model, policy::Backend& backend,
                  const SolveOptions& options, const SolveCallbacks& callbacks) {
  check_options(options, callbacks);
  if (is_tiny(instance)) return solve_tiny(instance, options);
  check_model(model.get(), instance.kind);

  Beginning beginning = prepare(instance, options, model->trained_size, callbacks.note);  // step 1
  const SearchInstance& search = beginning.search;
  CopyGroups groups(search, std::move(model), backend, std::move(beginning.starts), options, callbacks);

  SolveResult result;
  Run run(groups, search.cost_scale, options, callbacks);
  result.stopped_by = run.until_stopped();  // step 2
  result.steps = groups.step();
  result.copies = groups.copies();
  result.seconds = run.seconds();
  result.feasible_share = groups.feasible_share();

  const Best best = groups.best();
  accept(instance, options, to_solution(search, best.order), best.cost * search.cost_scale, result);  // step 3
  return result;
}

}  // namespace neuopt::search
