#include "search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <tuple>

#include "core/error.h"
#include "core/parallel.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "search/exact.h"
#include "search/parts/search_by_parts.h"
#include "search/plain_search.h"
#include "search/session_size.h"
#include "search/settings.h"
#include "search/starts.h"
#include "search/wave.h"

namespace neuopt::search {
namespace {

constexpr double kReportSeconds = 0.1;  // between two looks for progress and incumbents
constexpr int kLargeNodes = 1000;       // above, instances are made ready one by one
constexpr double kPairSeconds = 5e-8;   // of a step of one session, for each pair of nodes: a guess until it is known

void check_options(std::span<const Job> jobs, const SolveOptions& options, const SolveCallbacks& callbacks) {
  check_settings(options);
  const bool ends = options.steps || options.deadline || options.target_cost || options.patience > 0;
  if (!ends && callbacks.stop == nullptr)
    throw InputError("the search would never end: it needs a number of steps, a deadline, a target or patience");
  if (callbacks.observer != nullptr && jobs.size() != 1)
    throw InputError(fmt::format("{} instances, only one can be watched step by step", jobs.size()));
  if (!options.use_policy && (callbacks.observer != nullptr || !options.curve.empty()))
    throw InputError("without a policy there are no steps to be watched or drawn as a curve");
  for (const Job& job : jobs)
    if (options.use_policy && !is_tiny(*job.instance)) check_model(job.model.model.get(), job.instance->kind);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What is remembered about a job while it is searched.
struct Running {
  double best = kInfinity;    // in the units of the search, at the last look at target and patience
  long last_better = 0;       // the step at which it was seen first
  double shown = kInfinity;   // of the last incumbent that was handed out, in the units of the search
  std::vector<double> curve;  // in the units of the file
  bool done = false;
};

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
  std::optional<Clock::time_point> share_of_time(double share) const;
  void search(Group group);

  // Step 2: one wave.
  void until_stopped(Wave& wave);
  long steps_wanted(long step, std::size_t curve_points) const;
  void look_at_costs(const Wave& wave, std::vector<Running>& running) const;
  std::optional<StopReason> rule_of(const Wave& wave, std::size_t place, const Running& running) const;
  void finish(const Wave& wave, std::vector<Running>& running, std::optional<StopReason> all = std::nullopt);
  void update_progress(const Wave& wave);
  void show_incumbents(const Wave& wave, std::vector<Running>& running) const;

  void in_parts(const PreparedJob& prepared, std::optional<Clock::time_point> deadline);
  void without_policy(const Group& group, std::optional<Clock::time_point> deadline);

  // Step 3: answers.
  void solve_tiny(const Job& job);
  void answer_with_starts(const Group& group);
  void accept(const Job& job, Solution solution, double claimed_cost, SolveResult result, bool new_best = true);
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
  Progress progress_;
  std::vector<SolveResult> results_;
};

std::vector<SolveResult> Search::run() {
  std::map<int, Group> waiting;  // by number of search nodes, all of one size and model
  const auto search_all = [&] {
    for (auto& [nodes, group] : waiting) search(std::move(group));
    waiting.clear();
  };
  const std::vector<const Job*> order = in_order_of_size();
  std::deque<PreparedJob> prepared;
  const Job* last = nullptr;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Job* job = order[i];
    if (last != nullptr && (last->instance->size != job->instance->size || last->model.model != job->model.model))
      search_all();
    last = job;
    if (begun_ && stopped()) break;
    if (is_tiny(*job->instance)) {
      solve_tiny(*job);
      continue;
    }
    if (prepared.empty()) prepared = prepare_some(std::span(order).subspan(i));
    const int nodes = prepared.front().view.size();
    waiting[nodes].push_back(std::move(prepared.front()));
    prepared.pop_front();
    if (static_cast<int>(waiting[nodes].size()) >= copies_per_session(nodes) / options_.copies)
      search(std::move(waiting.extract(nodes).mapped()));
  }
  search_all();
  if (callbacks_.progress) callbacks_.progress(progress_);
  std::sort(results_.begin(), results_.end(), [](const auto& a, const auto& b) { return a.instance < b.instance; });
  return std::move(results_);
}

/// The first jobs of these that are no tiny ones, made ready side by side. Large ones come alone: each may need much
/// memory.
std::deque<PreparedJob> Search::prepare_some(std::span<const Job* const> jobs) const {
  const bool large = jobs[0]->instance->size > kLargeNodes;
  const std::size_t most = large ? 1 : static_cast<std::size_t>(resolve_threads(options_.threads)) * 16;
  std::vector<const Job*> some;
  for (const Job* job : jobs) {
    if (is_tiny(*job->instance)) continue;
    if (some.size() == most) break;
    some.push_back(job);
  }
  return prepare(some, options_, until(options_.deadline), callbacks_.note);
}

/// The time of a step grows with the square of the nodes.
double Search::expected_work(const Job& job) const {
  return is_tiny(*job.instance) ? 0 : static_cast<double>(job.instance->size) * job.instance->size * options_.copies;
}

std::vector<const Job*> Search::in_order_of_size() const {
  std::vector<const Job*> order;
  for (const Job& job : jobs_) order.push_back(&job);
  const auto key = [](const Job* job) { return std::tie(job->instance->size, job->model.name); };
  std::stable_sort(order.begin(), order.end(), [&](const Job* a, const Job* b) { return key(a) < key(b); });
  return order;
}

int Search::copies_per_session(int nodes) const {
  if (options_.session_copies > 0) return options_.session_copies;
  if (const int preferred = backend_.preferred_copies(nodes); preferred > 0) return preferred;
  const int threads = resolve_threads(options_.threads);
  return options_.deadline ? responsive_copies(nodes, threads) : throughput_copies(nodes, threads);
}

/// The deadline of a wave that has this share of the work that is left.
std::optional<Clock::time_point> Search::share_of_time(double share) const {
  if (!options_.deadline || share >= 1) return options_.deadline;
  const Clock::time_point now = Clock::now();
  const double seconds = share * (seconds_between(now, *options_.deadline) - kAnswerReserve) + kAnswerReserve;
  return std::min(*options_.deadline, after(now, seconds));
}

void Search::search(Group group) {
  if (begun_ && stopped()) return;
  const double work = expected_work(*group[0].job) * static_cast<double>(group.size());
  const int nodes = group[0].view.size(), session_copies = copies_per_session(nodes);
  const double copies = static_cast<double>(group.size()) * options_.copies;
  const double first_step = kPairSeconds * nodes * nodes * std::max(1.0, copies / session_copies);
  const double step_seconds = seconds_per_work_ > 0 ? work * seconds_per_work_ : first_step;
  const std::optional<Clock::time_point> deadline = share_of_time(work / work_left_);
  work_left_ -= work;
  const bool in_rounds = by_parts(group[0].view, options_);
  const bool too_late =
      begun_ && options_.use_policy && !in_rounds && Pace(options_.deadline, step_seconds).out_of_time(Clock::now());
  if (too_late || until(options_.deadline).over()) return answer_with_starts(group);
  begun_ = true;
  if (!options_.use_policy) return without_policy(group, deadline);
  if (in_rounds) {
    for (std::size_t i = 0; i < group.size(); ++i) {  // each its share of the time
      std::optional<Clock::time_point> end = deadline;
      const double share = 1.0 / static_cast<double>(group.size() - i);
      if (deadline) end = after(Clock::now(), share * seconds_between(Clock::now(), *deadline));
      in_parts(group[i], end);
    }
    return;
  }
  if (group[0].view.file != nullptr) {  // attention would take time and memory with the square of the nodes
    if (callbacks_.note)
      callbacks_.note(
          fmt::format("{} nodes are too many for the policy: answered by local search alone", group[0].view.nodes));
    return answer_with_starts(group);
  }
  Wave wave(std::move(group), backend_, session_copies, Pace(deadline, step_seconds), options_, callbacks_);
  until_stopped(wave);
  seconds_per_work_ = wave.step_seconds() / work;
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
    accept(*group[place].job, to_solution(group[place].view, best.order), best.cost * group[place].view.cost_scale,
           std::move(result));
  }
}

void Search::in_parts(const PreparedJob& prepared, std::optional<Clock::time_point> deadline) {
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
    progress_.steps_per_second = static_cast<double>(at.steps) * at.copies / std::max(1e-9, progress_.seconds);
    if (callbacks_.progress) callbacks_.progress(progress_);
    if (!callbacks_.incumbent || !(at.best_cost < shown)) return;
    shown = at.best_cost;
    const Solution solution = to_solution(prepared.view, *at.best_order);
    callbacks_.incumbent(index_of(*prepared.job), solution_cost(*prepared.job->instance, solution), solution);
  };
  const PartsAnswer answer = search_by_parts(prepared, backend_, options_, deadline, callbacks_, watch);
  SolveResult result;
  result.steps = answer.end.steps;
  result.copies = answer.end.copies;
  result.seconds = seconds_between(begin, Clock::now());
  result.feasible_share = answer.end.feasible_share;
  result.stopped_by = answer.stopped_by;
  accept(*prepared.job, to_solution(prepared.view, answer.order), answer.end.best_cost * prepared.view.cost_scale,
         std::move(result), answer.end.best_cost < shown);
}

void Search::until_stopped(Wave& wave) {
  std::vector<Running> running(wave.jobs().size());
  std::size_t curve_points = 0;
  for (;;) {
    if (curve_points < options_.curve.size() && options_.curve[curve_points] == wave.step()) {
      ++curve_points;
      for (std::size_t place = 0; place < running.size(); ++place)
        running[place].curve.push_back(wave.best(place).cost * wave.jobs()[place].view.cost_scale);
    }
    if (watches_cost() && wave.step() % kCheckInterval == 0) look_at_costs(wave, running);
    finish(wave, running);
    if (std::all_of(running.begin(), running.end(), [](const Running& job) { return job.done; })) break;
    const long taken = wave.advance(steps_wanted(wave.step(), curve_points));
    steps_done_ += static_cast<double>(taken) * wave.copies();
    if (taken == 0) finish(wave, running, stopped() ? StopReason::interrupt : StopReason::time);
    if (seconds_between(looked_, Clock::now()) < kReportSeconds) continue;
    looked_ = Clock::now();
    if (callbacks_.incumbent) show_incumbents(wave, running);
    if (!callbacks_.progress) continue;
    update_progress(wave);
    callbacks_.progress(progress_);
  }
  if (callbacks_.progress) update_progress(wave);
}

/// Up to where nothing needs to be looked at.
long Search::steps_wanted(long step, std::size_t curve_points) const {
  long wanted = 1'000'000;
  if (options_.steps) wanted = std::min(wanted, *options_.steps - step);
  if (curve_points < options_.curve.size()) wanted = std::min(wanted, options_.curve[curve_points] - step);
  if (watches_cost()) wanted = std::min(wanted, kCheckInterval - step % kCheckInterval);
  return wanted;
}

void Search::look_at_costs(const Wave& wave, std::vector<Running>& running) const {
  for (std::size_t place = 0; place < running.size(); ++place) {
    const double cost = wave.best(place).cost;
    if (!(cost < running[place].best)) continue;
    running[place].best = cost;
    running[place].last_better = wave.step();
  }
}

/// The rule that ends the search of a job now, if any.
std::optional<StopReason> Search::rule_of(const Wave& wave, std::size_t place, const Running& running) const {
  if (watches_cost() && wave.step() % kCheckInterval == 0) {
    const double best = running.best * wave.jobs()[place].view.cost_scale;
    if (options_.target_cost && best <= *options_.target_cost * (1 + 1e-9)) return StopReason::target;
    if (options_.patience > 0 && wave.step() - running.last_better >= options_.patience) return StopReason::patience;
  }
  if (options_.steps && wave.step() >= *options_.steps) return StopReason::steps;
  return std::nullopt;
}

/// Answers the jobs that a rule ends, or `all` that are left. Others of the wave may go on: what a job's copies do
/// after its own end is not looked at, so that its answer does not depend on theirs.
void Search::finish(const Wave& wave, std::vector<Running>& running, std::optional<StopReason> all) {
  std::optional<double> feasible_share;
  for (std::size_t place = 0; place < running.size(); ++place) {
    Running& job = running[place];
    const std::optional<StopReason> reason = job.done ? std::nullopt : all ? all : rule_of(wave, place, job);
    if (!reason) continue;
    job.done = true;
    if (!feasible_share) feasible_share = wave.feasible_share();
    SolveResult result;
    result.curve = std::move(job.curve);
    result.steps = wave.step();
    result.copies = options_.copies;
    result.seconds = wave.seconds();
    result.feasible_share = *feasible_share;
    result.stopped_by = *reason;
    const PreparedJob& prepared = wave.jobs()[place];
    const BestCopy best = wave.best(place);
    accept(*prepared.job, wave.solution(place, best.copy), best.cost * prepared.view.cost_scale, std::move(result),
           best.cost < job.shown);
  }
}

void Search::update_progress(const Wave& wave) {
  double cost = 0;
  for (std::size_t place = 0; place < wave.jobs().size(); ++place)
    cost += wave.best(place).cost * wave.jobs()[place].view.cost_scale;
  progress_.step = wave.step();
  progress_.best_cost = cost / static_cast<double>(wave.jobs().size());
  progress_.seconds = seconds_between(begin_, Clock::now());
  progress_.feasible_share = wave.feasible_share();
  if (progress_.seconds > 0) progress_.steps_per_second = steps_done_ / progress_.seconds;
}

void Search::show_incumbents(const Wave& wave, std::vector<Running>& running) const {
  for (std::size_t place = 0; place < running.size(); ++place) {
    const BestCopy best = wave.best(place);
    if (running[place].done || !(best.cost < running[place].shown)) continue;
    running[place].shown = best.cost;
    const Job& job = *wave.jobs()[place].job;
    const Solution solution = wave.solution(place, best.copy);
    callbacks_.incumbent(index_of(job), solution_cost(*job.instance, solution), solution);
  }
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
  accept(job, std::move(solution), cost, std::move(result));
}

void Search::answer_with_starts(const Group& group) {
  begun_ = true;
  for (const PreparedJob& prepared : group) {
    std::pair<double, const std::vector<int>*> best{kInfinity, &prepared.starts[0]};
    for (const std::vector<int>& start : prepared.starts)
      if (const double cost = tour_cost(prepared.view, start); cost < best.first) best = {cost, &start};
    SolveResult result;
    result.copies = options_.copies;
    result.stopped_by = stopped() ? StopReason::interrupt : StopReason::time;
    accept(*prepared.job, to_solution(prepared.view, *best.second), best.first * prepared.view.cost_scale,
           std::move(result));
    const double left = until(options_.deadline).seconds_left();
    if (prepared.hurried && left < 0 && callbacks_.note)
      callbacks_.note(
          fmt::format("{}: the time was over before there was a solution; answered {:.2f} s after the limit "
                      "by the quickest start",
                      prepared.job->instance->name, -left));
  }
}

/// The verifier has the last word. A cost that it does not confirm is a defect of the program, not of the input.
void Search::accept(const Job& job, Solution solution, double claimed_cost, SolveResult result, bool new_best) {
  const Instance& instance = *job.instance;
  const Verdict verdict = verify(instance, solution);
  if (verdict.feasible && std::abs(verdict.cost - claimed_cost) > 1e-5 * std::max(std::abs(claimed_cost), 1e-3))
    throw Error(
        fmt::format("internal error: the search claims cost {}, its solution costs {}", claimed_cost, verdict.cost));
  result.instance = index_of(job);
  result.solution = std::move(solution);
  result.cost = verdict.cost;
  result.feasible = verdict.feasible;
  if (job.initial != nullptr)
    if (const Verdict initial = verify(instance, *job.initial);
        initial.feasible && !(result.feasible && result.cost < initial.cost)) {
      result.solution = *job.initial;
      result.cost = initial.cost;
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

}  // namespace

std::vector<SolveResult> search_jobs(std::span<const Job> jobs, policy::Backend& backend, const SolveOptions& options,
                                     const SolveCallbacks& callbacks) {
  check_options(jobs, options, callbacks);
  return Search(jobs, backend, options, callbacks).run();
}

}  // namespace neuopt::search
