#include "search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "problem/start.h"
#include "search/exact.h"
#include "search/job_search.h"
#include "search/parts/search_by_parts.h"
#include "search/session_size.h"
#include "search/settings.h"
#include "search/starts.h"
#include "search/stop_rules.h"

namespace neuopt::search {
namespace {

constexpr int kLargeNodes = 1000;      // above, instances are made ready one by one
constexpr double kPairSeconds = 5e-8;  // of a step of one session, for each pair of nodes: a guess until it is known

void check_options(std::span<const Job> jobs, const SolveOptions& options, const SolveCallbacks& callbacks) {
  check_settings(options);
  const bool ends = options.steps || options.deadline || options.target_cost || options.patience > 0;
  if (!ends && callbacks.stop == nullptr)
    throw InputError("the search would never end: it needs a number of steps, a deadline, a target or patience");
  if (callbacks.observer != nullptr && jobs.size() != 1)
    throw InputError(fmt::format("{} instances, only one can be watched step by step", jobs.size()));
  if (!options.use_policy && (callbacks.observer != nullptr || !options.curve.empty()))
    throw InputError("without a policy there are no steps to be watched or drawn as a curve");
  for (const Job& job : jobs) {
    if (!options.use_policy || is_tiny(*job.instance)) continue;
    check_model(job.model.model.get(), job.instance->kind);
    if (by_parts(*job.instance, options)) refuse_watching_parts(*job.instance, callbacks);
    // Attention would take time and memory with the square of the nodes.
    if (options.by_parts == false && job.instance->size > kMatrixUpTo)
      throw InputError(
          fmt::format("{}: {} nodes are too many for the policy, which searches up to {} as a whole; "
                      "search by parts, or without a policy",
                      job.instance->name, job.instance->size, kMatrixUpTo));
  }
}

}  // namespace

std::vector<SolveResult> Search::run() {
  struct Waiting {
    Group jobs;
    std::size_t most = 1;  // of them together
  };
  std::map<int, Waiting> waiting;  // by number of search nodes, all of one size and model
  const auto search_all = [&] {
    for (auto& [nodes, alike] : waiting) search(std::move(alike.jobs));
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
      answer_tiny(*job);
      continue;
    }
    if (prepared.empty()) prepared = prepare_some(std::span(order).subspan(i));
    const int nodes = prepared.front().view.size();
    Waiting& alike = waiting[nodes];
    if (alike.jobs.empty()) alike.most = jobs_together(prepared.front());
    alike.jobs.push_back(std::move(prepared.front()));
    prepared.pop_front();
    if (alike.jobs.size() >= alike.most) search(std::move(waiting.extract(nodes).mapped().jobs));
  }
  search_all();
  note_more_late();
  if (callbacks_.progress) callbacks_.progress(progress_);
  std::sort(results_.begin(), results_.end(), [](const auto& a, const auto& b) { return a.instance < b.instance; });
  return std::move(results_);
}

/// The first jobs of these, in order of size, that are no tiny ones, made ready side by side. Large ones come alone:
/// each may need much memory.
std::deque<PreparedJob> Search::prepare_some(std::span<const Job* const> jobs) const {
  const std::size_t most = static_cast<std::size_t>(resolve_threads(options_.threads)) * 16;
  std::vector<const Job*> some;
  for (const Job* job : jobs) {
    if (is_tiny(*job->instance)) continue;
    if (some.size() == most || (job->instance->size > kLargeNodes && !some.empty())) break;
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

/// Bytes of the host that a session of so many copies takes.
double Search::session_bytes(const PreparedJob& prepared, int copies) const {
  const std::shared_ptr<const policy::Model>& model = prepared.job->model.model;
  return backend_.session_bytes(
      model, prepared.view.size(), copies,
      session_options(options_, *model, backend_.usual_polish_interval(model->architecture.problem)));
}

/// Bytes that sessions may take at once. What can be searched later leaves half of what is free to others.
double Search::room_for_sessions(bool can_wait) const {
  if (options_.memory_limit > 0) return options_.memory_limit;
  return free_memory().value_or(kInfinity) / (can_wait ? 2 : 1);
}

/// Jobs like this one that are searched together: as many as fill a session, where there is room for it. The others
/// can always wait: no answer depends on another job.
std::size_t Search::jobs_together(const PreparedJob& prepared) const {
  const int filling = std::max(1, copies_per_session(prepared.view.size()) / options_.copies);
  const bool one_session = options_.use_policy && !by_parts(prepared.view, options_);
  if (filling == 1 || !one_session) return static_cast<std::size_t>(filling);
  const double room = room_for_sessions(true);
  if (session_bytes(prepared, filling * options_.copies) <= room) return static_cast<std::size_t>(filling);
  // In small sessions a copy takes no less than in large ones.
  return static_cast<std::size_t>(std::clamp<double>(room / session_bytes(prepared, options_.copies), 1, filling));
}

/// Says what would fit: fewer copies at once, or none.
void Search::refuse_copies(int nodes, double bytes, double alone, double room) const {
  const char* source = options_.memory_limit > 0 ? "allowed" : "free";
  if (alone > room)
    throw ResourceError(fmt::format("one copy of {} nodes needs about {} of memory, {} are {}", nodes,
                                    memory_text(alone), memory_text(room), source));
  throw ResourceError(fmt::format(
      "{} copies of {} nodes need about {} of memory, {} are {}: take fewer, or {}, so that they can be searched in "
      "turns",
      options_.copies, nodes, memory_text(bytes), memory_text(room), source,
      callbacks_.observer != nullptr ? "keep no trace and let steps alone end the search"
                                     : "let steps alone end the search"));
}

/// One session has its size for speed, as long as there is room for it. Copies that would need more than half of what
/// is free wait for their turn, if they can: their answers do not depend on one another when steps end the search, and
/// nobody watches them step by step. On a device that means more than fills it. What is free is a guess, with which one
/// copy is always tried; a limit is kept.
CopyShape Search::shape_of(const PreparedJob& prepared) const {
  const int nodes = prepared.view.size(), copies = options_.copies, session = copies_per_session(nodes);
  const bool can_wait = options_.steps && !watches_cost() && callbacks_.observer == nullptr;
  const int together = std::min(copies, session);
  const double bytes = session_bytes(prepared, together) / together;
  if (bytes == 0) return {session, can_wait ? together : copies};
  const double room = room_for_sessions(can_wait);
  if (copies * bytes <= room) return {session, copies};
  const double alone = session_bytes(prepared, 1);  // no less than in a large session
  const bool never_fits = options_.memory_limit > 0 && alone > room;
  if (!can_wait || never_fits) refuse_copies(nodes, copies * bytes, alone, room);
  if (room / bytes >= together) return {session, static_cast<int>(room / bytes) / together * together};
  const int fitting = static_cast<int>(std::max(1.0, room / alone));
  return {fitting, fitting};
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
  const int nodes = group[0].view.size();
  const double copies = static_cast<double>(group.size()) * options_.copies;
  const double first_step = kPairSeconds * nodes * nodes * std::max(1.0, copies / copies_per_session(nodes));
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
  in_turns(group, deadline, shape_of(group[0]), step_seconds);
}

/// Searches all copies, as many at once as have room: mostly all of them.
void Search::in_turns(const Group& group, std::optional<Clock::time_point> deadline, CopyShape shape,
                      double step_seconds) {
  std::vector<Running> running(group.size());
  const double work = expected_work(*group[0].job) * static_cast<double>(group.size());
  for (int first = 0; first < options_.copies && !running[0].answered; first += shape.turn) {
    for (Running& job : running) job.done = false;
    const CopyRange range{first, std::min(shape.turn, options_.copies - first)};
    const double share = static_cast<double>(range.count) / options_.copies;
    std::optional<Clock::time_point> end = deadline;
    if (deadline && first + range.count < options_.copies) {
      const double of_rest = static_cast<double>(range.count) / (options_.copies - first);
      end = after(Clock::now(), of_rest * seconds_between(Clock::now(), *deadline));
    }
    Wave wave(group, range, backend_, shape.session, Pace(end, share * step_seconds), options_, callbacks_);
    until_stopped(wave, running);
    step_seconds = wave.step_seconds() / share;
    seconds_per_work_ = step_seconds / work;
  }
}

void Search::until_stopped(Wave& wave, std::vector<Running>& running) {
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
    update_progress(wave, running);
    callbacks_.progress(progress_);
  }
  if (callbacks_.progress) update_progress(wave, running);
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
  const StopRules rules(options_, wave.jobs()[place].view);
  const long step = wave.step();
  return step % kCheckInterval == 0 ? rules.by_any(running.best, running.last_better, step) : rules.by_steps(step);
}

/// Answers the jobs that a rule ends, or `all` that are left, unless copies of them are still to come. Others of the
/// wave may go on: what a job's copies do after its own end is not looked at, so that its answer does not depend on
/// theirs.
void Search::finish(const Wave& wave, std::vector<Running>& running, std::optional<StopReason> all) {
  const bool last_turn = wave.range().first + wave.range().count >= options_.copies || until(options_.deadline).over();
  std::optional<policy::Visits> visits;
  for (std::size_t place = 0; place < running.size(); ++place) {
    Running& job = running[place];
    const std::optional<StopReason> reason = job.done ? std::nullopt : all ? all : rule_of(wave, place, job);
    if (!reason) continue;
    if (!visits) visits = wave.visits();
    Found found = found_by(wave, place, *visits, *reason, job);
    if (!last_turn) {
      job = {.shown = job.shown, .curve = {}, .done = true, .found = std::move(found)};
      continue;
    }
    job.done = job.answered = true;
    found.result.feasible_share = found.visits.feasible_share();
    const PreparedJob& prepared = wave.jobs()[place];
    accept(prepared, std::move(found.solution), found.cost, std::move(found.result), found.cost < job.shown);
  }
}

/// The best of the wave's copies of a job and of those before them; the first one wins a tie.
Found Search::found_by(const Wave& wave, std::size_t place, const policy::Visits& visits, StopReason reason,
                       Running& job) const {
  const BestCopy best = wave.best(place);
  Found found;
  found.cost = best.cost;
  found.visits = visits;
  found.result.curve = std::move(job.curve);
  found.result.steps = wave.step();
  found.result.copies = options_.copies;
  found.result.seconds = wave.seconds();
  found.result.stopped_by = reason;
  if (!job.found) {
    found.solution = wave.solution(place, best.copy);
    return found;
  }
  Found& earlier = *job.found;
  if (found.cost < earlier.cost) {
    earlier.cost = found.cost;
    earlier.solution = wave.solution(place, best.copy);
  }
  earlier.visits += found.visits;
  std::vector<double>& curve = earlier.result.curve;
  curve.resize(std::min(curve.size(), found.result.curve.size()));
  for (std::size_t i = 0; i < curve.size(); ++i) curve[i] = std::min(curve[i], found.result.curve[i]);
  earlier.result.steps = std::min(earlier.result.steps, found.result.steps);
  earlier.result.seconds += found.result.seconds;
  if (reason != StopReason::steps) earlier.result.stopped_by = reason;
  return std::move(earlier);
}

void Search::update_progress(const Wave& wave, const std::vector<Running>& running) {
  double cost = 0;
  for (std::size_t place = 0; place < wave.jobs().size(); ++place) {
    const double earlier = running[place].found ? running[place].found->cost : kInfinity;
    cost += std::min(wave.best(place).cost, earlier) * wave.jobs()[place].view.cost_scale;
  }
  progress_.step = wave.step();
  progress_.best_cost = cost / static_cast<double>(wave.jobs().size());
  progress_.seconds = seconds_between(begin_, Clock::now());
  progress_.feasible_share = wave.visits().feasible_share();
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

std::vector<SolveResult> search_jobs(std::span<const Job> jobs, policy::Backend& backend, const SolveOptions& options,
                                     const SolveCallbacks& callbacks) {
  check_options(jobs, options, callbacks);
  return Search(jobs, backend, options, callbacks).run();
}

}  // namespace neuopt::search
