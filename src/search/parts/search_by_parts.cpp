#include "search/parts/search_by_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "local/best_move.h"
#include "problem/size_rules.h"
#include "search/observer.h"
#include "search/parts/kicks.h"
#include "search/parts/whole.h"
#include "search/settings.h"
#include "search/starts.h"
#include "search/stop_rules.h"

namespace neuopt::search {
namespace {

constexpr int kWholeUpTo = 200;       // search nodes of an instance that is searched as it is
constexpr int kLeastCustomers = 20;   // of an instance that can be cut
constexpr double kFewImproved = 0.3;  // of the parts: rounds become longer
constexpr long kLongestRound = 400;   // steps
constexpr double kWatchSeconds = 0.1;

/// How wide and how long rounds are, chosen by measurement (docs/large-instances.md). Not by the number of threads: the
/// answer must not depend on it.
struct RoundShape {
  int copies;        // of all parts together
  int least_copies;  // of each part
  long steps;        // of the first rounds
  int polish;        // steps between two polishes at most, where the options do not say
};
constexpr RoundShape kHostRounds{.copies = 16, .least_copies = 2, .steps = 25, .polish = 10};
constexpr RoundShape kDeviceRounds{.copies = 512, .least_copies = 4, .steps = 25, .polish = 10};

/// Backends that have no wish of their own for the number of copies are hosts.
RoundShape shape_for(const policy::Backend& backend) {
  return backend.preferred_copies(kWholeUpTo) > 0 ? kDeviceRounds : kHostRounds;
}

class PartsSearch {
 public:
  PartsSearch(const PreparedJob& job, policy::Backend& backend, const SolveOptions& options,
              std::optional<Clock::time_point> deadline, const SolveCallbacks& callbacks, const RoundWatch& watch)
      : job_(job),
        backend_(backend),
        options_(options),
        rules_(options, job.view),
        until_{deadline, callbacks.stop},
        observer_(callbacks.observer),
        note_(callbacks.note),
        watch_(watch),
        pace_(deadline),
        shape_(shape_for(backend)),
        round_steps_(shape_.steps),
        best_(start_of(job, options, 0)) {
    progress_.best_cost = progress_.order_cost = tour_cost(job.view, best_);
    progress_.best_order = &best_;
    progress_.copies = shape_.copies;
    if (observer_ != nullptr) observer_->begin(job.view, std::span(&best_, 1));
  }

  PartsAnswer run() {
    start();
    std::optional<StopReason> reason = rule();
    for (; !reason; reason = rule()) {
      if (cut()) {
        advance();
        put_back();
      } else {
        kick();
      }
      report_round();
      ++progress_.round;
      look();
    }
    return {.order = best_, .end = progress_, .stopped_by = *reason};
  }

 private:
  bool stopped() const { return until_.stopped(); }
  bool out_of_time() const { return pace_.out_of_time(Clock::now()); }

  std::optional<StopReason> rule() const {
    if (stopped()) return StopReason::interrupt;
    if (const auto reason = rules_.by_any(progress_.best_cost, last_better_, progress_.steps)) return reason;
    return out_of_time() ? std::optional(StopReason::time) : std::nullopt;
  }

  void start() {
    best_ = kicked_start(job_, best_, options_, until_, [this](double cost) { watch_kicks(cost); });
    progress_.best_cost = progress_.order_cost = tour_cost(job_.view, best_);
    whole_ = make_whole(job_.view, job_.neighbours, best_);
  }

  void watch_kicks(double cost) {
    progress_.best_cost = std::min(progress_.best_cost, cost);
    look();
  }

  /// A round where nothing can be cut out: local search with random kicks instead.
  void kick() {
    note_kicks();
    progress_.parts = 0;
    if (observer_ != nullptr) observer_->regions({});
    KickedRound kicked = kicked_round(job_, best_, progress_.round, round_length(), options_, until_,
                                      [this](double cost) { watch_kicks(cost); });
    progress_.steps += kicked.steps;
    progress_.copies = kicked.copies;
    const bool improved = take(std::move(kicked.order));
    lengthen_rounds(improved ? 1 : 0);
    progress_.best_cost = progress_.order_cost;
    if (improved) whole_ = make_whole(job_.view, job_.neighbours, best_);
  }

  /// Once is enough, so that it must not say that this is so for all rounds.
  void note_kicks() {
    if (note_)
      note_(
          fmt::format("{}: {}; local search with random kicks takes the place of the policy until parts can be cut "
                      "out",
                      job_.job->instance->name,
                      job_.view.times.empty() ? "nothing can be cut out of its solution"
                                              : "its routes are too long to be searched by parts"));
    note_ = nullptr;
  }

  /// Step 1: cuts parts out of the present solution and lets copies of all of them begin. False: there are none.
  bool cut() {
    local::KickDraws draws(Random{options_.seed}, job_.job->id, 0, progress_.round);
    std::vector<PartPlan> plans = whole_->cut(shape_.copies / shape_.least_copies, draws);
    if (plans.empty()) return false;
    std::vector<Part> parts(plans.size());
    parallel_for(static_cast<int>(plans.size()), resolve_threads(options_.threads), [&](int i, int) {
      const auto place = static_cast<std::size_t>(i);
      parts[place] = make_part(job_.view, std::move(plans[place]));
    });
    begin(parts);
    parts_ = std::move(parts);  // those before may go now: the session does not point to them any more
    progress_.parts = static_cast<int>(parts_.size());
    progress_.copies = shape_.copies;  // rounds of kicks have others
    if (observer_ == nullptr) return true;
    std::vector<std::vector<int>> regions;
    for (const Part& part : parts_) regions.push_back(part.customers);
    observer_->regions(regions);
    return true;
  }

  void begin(const std::vector<Part>& parts) {
    std::vector<policy::Copy> copies;
    std::vector<int> which;
    for (int copy = 0; copy < shape_.copies; ++copy) {
      const Part& part = parts[static_cast<std::size_t>(copy) % parts.size()];
      copies.push_back({.instance = &part.view,
                        .instance_id = job_.job->id,
                        .copy_id = static_cast<std::uint32_t>(progress_.round * shape_.copies + copy),
                        .start = part.start,
                        .neighbours = &part.neighbours});
      which.push_back(copy);
    }
    if (session_) return session_->restart(which, copies);
    const policy::Model& model = *job_.job->model.model;
    const int usual_polish = std::min(shape_.polish, backend_.usual_polish_interval(job_.view.kind));
    session_ = backend_.open(job_.job->model.model, copies, session_options(options_, model, usual_polish));
  }

  long round_length() const {
    return options_.steps ? std::min(round_steps_, *options_.steps - progress_.steps) : round_steps_;
  }

  /// Step 2: the policy searches.
  void advance() {
    long left = round_length();
    while (left > 0 && !stopped() && !out_of_time()) {
      const Clock::time_point begin = Clock::now();
      const int taken = session_->advance(static_cast<int>(pace_.next(left, begin)), until_.stop);
      pace_.record(taken, seconds_between(begin, Clock::now()));
      progress_.steps += taken;
      left -= taken;
      look();
    }
    visits_ += session_->visits();  // of this round: the next one begins with a count of its own
    progress_.feasible_share = visits_.feasible_share();
  }

  /// Step 3: the best of each part goes back, and local search over the seams.
  void put_back() {
    int improved = 0;
    for (std::size_t place = 0; place < parts_.size(); ++place) {
      const std::vector<int> tour = session_->best_tour(best_copy(place));
      if (tour != parts_[place].start && whole_->put_back(parts_[place], tour, -local::kLeastGain)) ++improved;
    }
    lengthen_rounds(static_cast<double>(improved) / static_cast<double>(parts_.size()));
    if (improved == 0) return;
    whole_->improve(until_);
    take(whole_->order());
  }

  void lengthen_rounds(double improved_share) {
    progress_.improved_share = improved_share;
    if (improved_share < kFewImproved) round_steps_ = std::min(2 * round_steps_, kLongestRound);
  }

  /// False: it is no better than the best.
  bool take(std::vector<int> order) {
    const double cost = tour_cost(job_.view, order);
    if (!(cost < progress_.order_cost - local::kLeastGain)) return false;
    progress_.best_cost = progress_.order_cost = cost;
    best_ = std::move(order);
    last_better_ = progress_.steps;
    return true;
  }

  int best_copy(std::size_t part) const {
    const int step = static_cast<int>(parts_.size());
    int best = static_cast<int>(part);
    for (int copy = best + step; copy < shape_.copies; copy += step)
      if (session_->best_cost(copy) < session_->best_cost(best)) best = copy;
    return best;
  }

  void report_round() const {
    if (observer_ == nullptr) return;
    observer_->step({.copy = 0,
                     .step = static_cast<int>(progress_.round),
                     .cost = progress_.best_cost,
                     .best_cost = progress_.best_cost,
                     .best_epsilon_cost = progress_.best_cost,
                     .violation = 0,
                     .k = 1,
                     .augmented = false,
                     .chosen = {},
                     .order = best_,
                     .polished = {}});
  }

  void look() {
    if (!watch_ || seconds_between(looked_, Clock::now()) < kWatchSeconds) return;
    looked_ = Clock::now();
    watch_(progress_);
  }

  const PreparedJob& job_;
  policy::Backend& backend_;
  const SolveOptions& options_;
  StopRules rules_;
  Until until_;
  SearchObserver* observer_;
  WarningSink note_;  // none any more once there is nothing to say
  const RoundWatch& watch_;
  Pace pace_;
  RoundShape shape_;
  long round_steps_;
  std::vector<int> best_;
  std::unique_ptr<Whole> whole_;
  std::vector<Part> parts_;  // the session points into them
  std::unique_ptr<policy::Session> session_;
  policy::Visits visits_;  // of all rounds
  long last_better_ = 0;
  RoundProgress progress_;
  Clock::time_point looked_ = Clock::now();
};

bool cut(int customers, int depots, const SolveOptions& options) {
  return options.use_policy && options.by_parts.value_or(customers + depots > kWholeUpTo) &&
         customers >= kLeastCustomers;
}

}  // namespace

bool by_parts(const SearchInstance& instance, const SolveOptions& options) {
  return cut(instance.customers(), instance.size() - instance.customers(), options);
}

bool by_parts(const Instance& instance, const SolveOptions& options) {
  const int customers = instance.customers();
  int depots = traits(instance.kind).depots ? usual_depots(instance.kind, customers) : 0;
  if (instance.vehicles > 0) depots = std::min(depots, instance.vehicles);
  return cut(customers, depots, options);
}

void refuse_watching_parts(const Instance& instance, const SolveCallbacks& callbacks) {
  if (callbacks.observer == nullptr || callbacks.observer->knows_rounds()) return;
  throw InputError(fmt::format(
      "{}: searched by parts, in rounds, it has no steps to be written down; by-parts no searches up to {} nodes as a "
      "whole",
      instance.name, kMatrixUpTo));
}

PartsAnswer search_by_parts(const PreparedJob& job, policy::Backend& backend, const SolveOptions& options,
                            std::optional<Clock::time_point> deadline, const SolveCallbacks& callbacks,
                            const RoundWatch& watch) {
  return PartsSearch(job, backend, options, deadline, callbacks, watch).run();
}

}  // namespace neuopt::search
