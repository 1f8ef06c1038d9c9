#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "problem/schedule.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "search/exact.h"
#include "search/job_search.h"
#include "search/parts/search_by_parts.h"
#include "search/plain_search.h"
#include "search/starts.h"

namespace neuopt::search {
namespace {

/// Whoever is late is served alone. Windows that leave no time at all are the search's by a little more than the file's
/// where its ticks are coarser (allow_lone_visits).
Solution keep_to_windows(const Instance& instance, Solution solution) {
  const Scheduler scheduler(instance);
  Solution kept;
  for (std::vector<int>& route : solution.routes)
    for (std::vector<int>& part : scheduler.in_time(std::move(route))) kept.routes.push_back(std::move(part));
  return kept;
}

}  // namespace

void Search::in_parts(const PreparedJob& prepared, std::optional<Clock::time_point> deadline) {
  refuse_watching_parts(*prepared.job->instance, callbacks_);
  const Clock::time_point begin = Clock::now();
  double shown = kInfinity;
  const auto watch = [&](const RoundProgress& at) {
    progress_.step = at.steps;
    progress_.round = at.round + 1;
    progress_.parts = at.parts;
    progress_.improved_share = at.improved_share;
    progress_.best_cost = at.best_cost * prepared.view.cost_scale;
    progress_.feasible_share = at.feasible_share;
    progress_.seconds = seconds_between(begin_, Clock::now());
    const double steps = steps_done_ + static_cast<double>(at.steps) * at.copies;
    progress_.steps_per_second = steps / std::max(1e-9, progress_.seconds);
    if (callbacks_.progress) callbacks_.progress(progress_);
    if (!callbacks_.incumbent || !(at.order_cost < shown)) return;
    shown = at.order_cost;
    const Solution solution = to_solution(prepared.view, *at.best_order);
    callbacks_.incumbent(index_of(*prepared.job), solution_cost(*prepared.job->instance, solution), solution);
  };
  const PartsAnswer answer = search_by_parts(prepared, backend_, options_, deadline, callbacks_, watch);
  steps_done_ += static_cast<double>(answer.end.steps) * answer.end.copies;
  SolveResult result;
  result.steps = answer.end.steps;
  result.copies = answer.end.copies;
  result.seconds = seconds_between(begin, Clock::now());
  result.feasible_share = answer.end.feasible_share;
  result.stopped_by = answer.stopped_by;
  accept(prepared, to_solution(prepared.view, answer.order), answer.end.best_cost, std::move(result),
         answer.end.best_cost < shown);
}

void Search::without_policy(const Group& group, std::optional<Clock::time_point> deadline) {
  const Clock::time_point begin = Clock::now();
  const auto watch = [&] {
    if (!callbacks_.progress || seconds_between(looked_, Clock::now()) < kReportSeconds) return;
    looked_ = Clock::now();
    progress_.seconds = seconds_between(begin_, looked_);
    callbacks_.progress(progress_);
  };
  const std::vector<PlainAnswer> answers = search_plainly(group, options_, deadline, callbacks_.stop, watch);
  for (std::size_t place = 0; place < group.size(); ++place) {
    const local::Iterated& best = answers[place].best;
    SolveResult result;
    result.steps = static_cast<long>(best.iterations);
    result.copies = plain_copies(options_, deadline.has_value());
    result.seconds = seconds_between(begin, Clock::now());
    result.stopped_by = answers[place].stopped_by;
    accept(group[place], to_solution(group[place].view, best.order), best.cost, std::move(result));
  }
}

/// Exactly; of a large set those that the time is over for by a start, as the others.
void Search::answer_tiny(const Job& job) {
  constexpr int kNoTime = 5;  // nodes that are solved as soon as they are started
  if (!begun_ || job.instance->size <= kNoTime || !until(options_.deadline).over()) return solve_tiny(job);
  const Job* const jobs[] = {&job};
  std::deque<PreparedJob> prepared = prepare(jobs, options_, until(options_.deadline), callbacks_.note);
  Group group;
  group.push_back(std::move(prepared.front()));
  answer_with_starts(group);
}

void Search::solve_tiny(const Job& job) {
  begun_ = true;
  const Clock::time_point begin = Clock::now();
  Solution solution = solve_exactly(*job.instance);
  const double cost = solution_cost(*job.instance, solution);
  SolveResult result;
  result.curve.assign(options_.curve.size(), cost);
  result.seconds = seconds_between(begin, Clock::now());
  result.stopped_by = StopReason::exact;
  accept(job, std::move(solution), {.cost = cost}, std::move(result));
}

void Search::answer_with_starts(const Group& group) {
  begun_ = true;
  for (const PreparedJob& prepared : group) {
    std::vector<int> best = start_of(prepared, options_, 0);
    double best_cost = tour_cost(prepared.view, best);
    const bool all_the_same = prepared.start.has_value();
    for (int copy = 1; copy < options_.copies && !all_the_same && !until(options_.deadline).over(); ++copy) {
      std::vector<int> start = start_of(prepared, options_, copy);
      const double cost = tour_cost(prepared.view, start);
      if (!(cost < best_cost)) continue;
      best_cost = cost;
      best = std::move(start);
    }
    SolveResult result;
    result.copies = options_.copies;
    result.stopped_by = stopped() ? StopReason::interrupt : StopReason::time;
    accept(prepared, to_solution(prepared.view, best), best_cost, std::move(result));
    const double left = until(options_.deadline).seconds_left();
    if (prepared.hurried && left < 0) note_late(*prepared.job->instance, -left);
  }
}

/// When the time is short this holds for hundreds of a set.
void Search::note_late(const Instance& instance, double seconds) {
  if (++late_ > kLateNotes || !callbacks_.note) return;
  callbacks_.note(
      fmt::format("{}: the time was over before there was a solution; answered {:.2f} s after the limit "
                  "by the quickest start",
                  instance.name, seconds));
}

void Search::note_more_late() const {
  if (late_ <= kLateNotes || !callbacks_.note) return;
  callbacks_.note(fmt::format("the time was over before there was a solution of {} more", late_ - kLateNotes));
}

void Search::accept(const PreparedJob& prepared, Solution solution, double cost, SolveResult result, bool new_best) {
  const Claim claim{.cost = cost * prepared.view.cost_scale, .error = prepared.view.cost_error()};
  accept(*prepared.job, std::move(solution), claim, std::move(result), new_best, prepared.fitted);
}

/// The verifier has the last word. A cost that it does not confirm is a defect of the program, not of the input.
void Search::accept(const Job& job, Solution solution, const Claim& claim, SolveResult result, bool new_best,
                    const std::optional<Solution>& fitted) {
  const Instance& instance = *job.instance;
  Verdict verdict = verify(instance, solution);
  if (!verdict.feasible && traits(instance.kind).windows) {
    solution = keep_to_windows(instance, std::move(solution));
    verdict = verify(instance, solution);
  } else if (verdict.feasible && !claim.agrees_with(verdict.cost)) {
    throw Error(
        fmt::format("internal error: the search claims cost {}, its solution costs {}", claim.cost, verdict.cost));
  }
  result.instance = index_of(job);
  result.solution = std::move(solution);
  result.cost = verdict.cost;
  result.feasible = verdict.feasible;
  for (const Solution* known : {job.initial, fitted ? &*fitted : nullptr}) {
    if (known == nullptr) continue;
    const Verdict found = verify(instance, *known);
    if (!found.feasible || (result.feasible && result.cost < found.cost)) continue;
    result.solution = *known;
    result.cost = found.cost;
    result.feasible = true;
  }
  if (const auto reference = instance.reference_cost; reference && *reference > 0)
    result.gap = result.cost / *reference - 1;
  result.model = options_.use_policy ? job.model.name : "none";
  if (job.model.model) result.checksum = job.model.model->checksum;
  result.device = options_.use_policy ? backend_.name() : "cpu";
  ++progress_.instances_done;
  if (new_best && callbacks_.incumbent) callbacks_.incumbent(result.instance, result.cost, result.solution);
  if (callbacks_.finished) callbacks_.finished(result);
  results_.push_back(std::move(result));
}

}  // namespace neuopt::search
