#include "search/evaluate_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"
#include "env/host_instance.h"
#include "problem/start.h"
#include "problem/verify.h"
#include "search/exact.h"
#include "search/pace.h"
#include "search/session_size.h"

namespace neuopt::search {
namespace {

constexpr double kReportSeconds = 0.1;

void check(std::span<const Instance> instances, const policy::Model* model, const EvaluateOptions& options) {
  check_settings(options);
  if (options.steps < 0) throw InputError(fmt::format("steps: {}, expected 0 or more", options.steps));
  for (const long step : options.curve)
    if (step < 0 || step > options.steps)
      throw InputError(fmt::format("curve at step {}, expected 0 to {}, the steps taken", step, options.steps));
  for (const Instance& instance : instances) check_model(model, instance.kind);
}

/// Instances of one search size that share sessions: indices into the set.
using Batch = std::vector<int>;

/// Step 1: batches of equal size, in the order of the set within each size.
std::vector<Batch> make_batches(const std::vector<SearchInstance>& searches, const policy::Backend& backend,
                                const EvaluateOptions& options) {
  std::vector<int> order(searches.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto shape = [&](int i) { return std::pair(searches[i].size(), searches[i].depots); };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return shape(a) < shape(b); });
  std::vector<Batch> batches;
  for (const int index : order) {
    const int nodes = searches[index].size();
    int copies = options.session_copies;
    if (copies == 0) copies = backend.preferred_copies(nodes);
    if (copies == 0) copies = throughput_copies(nodes, resolve_threads(options.threads));
    const std::size_t limit = static_cast<std::size_t>(std::max(1, copies / options.copies));
    if (batches.empty() || batches.back().size() >= limit || shape(batches.back().front()) != shape(index))
      batches.emplace_back();
    batches.back().push_back(index);
  }
  return batches;
}

class Evaluation {
 public:
  Evaluation(std::span<const Instance> instances, std::shared_ptr<const policy::Model> model, policy::Backend& backend,
             const EvaluateOptions& options, const SetCallbacks& callbacks)
      : instances_(instances), model_(std::move(model)), backend_(backend), options_(options), callbacks_(callbacks) {
    curve_ = options.curve;
    std::sort(curve_.begin(), curve_.end());
    curve_.erase(std::unique(curve_.begin(), curve_.end()), curve_.end());
    if (!curve_.empty() && curve_.back() != options.steps) curve_.push_back(options.steps);
  }

  SetResult run() {
    std::vector<SearchInstance> searches;
    for (const Instance& instance : instances_) searches.push_back(make_search_instance(instance));
    for (const Batch& batch : make_batches(searches, backend_, options_)) {
      if (stopped()) break;
      if (is_tiny(instances_[static_cast<std::size_t>(batch.front())]))
        solve_tiny(batch);
      else
        search(batch, searches);
    }
    summarize();
    return std::move(result_);
  }

 private:
  bool stopped() const { return callbacks_.stop != nullptr && *callbacks_.stop; }

  void solve_tiny(const Batch& batch) {
    for (const int index : batch) {
      const Instance& instance = instances_[static_cast<std::size_t>(index)];
      const Solution solution = solve_exactly(instance);
      const std::vector<double> curve(curve_.size(), solution_cost(instance, solution));
      record(index, solution, curve);
    }
  }

  /// Step 2: one session. A batch that is stopped leaves no results.
  void search(const Batch& batch, const std::vector<SearchInstance>& searches) {
    const std::unique_ptr<policy::Session> session = open(batch, searches);
    std::vector<std::vector<double>> curves(batch.size());
    Pace pace;
    long step = 0;
    for (std::size_t point = 0;; ++point) {
      const long goal = point < curve_.size() ? curve_[point] : options_.steps;
      while (step < goal) {
        const Clock::time_point begin = Clock::now();
        const int taken = session->advance(static_cast<int>(pace.next(goal - step, begin)), callbacks_.stop);
        pace.record(taken, seconds_between(begin, Clock::now()));
        step += taken;
        steps_done_ += static_cast<double>(taken) * static_cast<double>(batch.size()) * options_.copies;
        if (stopped()) return;
        report(step);
      }
      if (point >= curve_.size()) break;
      for (std::size_t i = 0; i < batch.size(); ++i)
        curves[i].push_back(best_of(*session, i).second * searches[batch[i]].cost_scale);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::vector<int> order = session->best_tour(best_of(*session, i).first);
      record(batch[i], to_solution(searches[batch[i]], order), curves[i]);
    }
  }

  std::unique_ptr<policy::Session> open(const Batch& batch, const std::vector<SearchInstance>& searches) {
    std::vector<policy::Copy> copies;
    for (const int index : batch) {
      const auto id = static_cast<std::uint32_t>(index);
      const SearchInstance& instance = searches[static_cast<std::size_t>(index)];
      for (std::uint32_t copy = 0; copy < static_cast<std::uint32_t>(options_.copies); ++copy)
        copies.push_back({&instance, id, copy,
                          options_.greedy_start ? greedy_start(instance)
                                                : env::standard_start(instance, Random{options_.seed}, id, copy)});
    }
    return backend_.open(model_, copies, session_options(options_, *model_));
  }

  /// Session index and cost of the best copy of the batch's instance i.
  std::pair<int, double> best_of(const policy::Session& session, std::size_t i) const {
    std::pair<int, double> best{-1, std::numeric_limits<double>::infinity()};
    const int first = static_cast<int>(i) * options_.copies;
    for (int copy = first; copy < first + options_.copies; ++copy) {
      const double cost = session.status(copy).best_cost;
      if (best.first < 0 || cost < best.second) best = {copy, cost};
    }
    return best;
  }

  void record(int index, const Solution& solution, std::vector<double> curve) {
    const Instance& instance = instances_[static_cast<std::size_t>(index)];
    const Verdict verdict = verify(instance, solution);
    InstanceResult done{index, verdict.cost, verdict.feasible, std::nullopt, std::move(curve)};
    if (instance.reference_cost && *instance.reference_cost > 0) done.gap = verdict.cost / *instance.reference_cost - 1;
    if (callbacks_.instance) callbacks_.instance(done);
    result_.instances.push_back(std::move(done));
  }

  double seconds() const { return seconds_between(begin_, Clock::now()); }

  void report(long step) {
    if (!callbacks_.progress || seconds_between(reported_, Clock::now()) < kReportSeconds) return;
    reported_ = Clock::now();
    callbacks_.progress({static_cast<int>(result_.instances.size()), static_cast<int>(instances_.size()), step,
                         seconds(), steps_done_ / std::max(seconds(), 1e-9)});
  }

  /// Step 3: means over the instances that are done.
  void summarize();

  std::span<const Instance> instances_;
  std::shared_ptr<const policy::Model> model_;
  policy::Backend& backend_;
  const EvaluateOptions& options_;
  const SetCallbacks& callbacks_;
  std::vector<long> curve_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point reported_ = begin_;
  double steps_done_ = 0;  // of all copies
  SetResult result_;
};

/// A sum and a count.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  std::optional<double> value() const { return count_ > 0 ? std::optional(sum_ / count_) : std::nullopt; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

/// The value below which a share of the sorted values lies, interpolated between neighbours.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::optional<GapSpread> spread_of(std::vector<double> gaps) {
  if (gaps.empty()) return std::nullopt;
  std::sort(gaps.begin(), gaps.end());
  return GapSpread{quantile(gaps, 0.1), quantile(gaps, 0.5), quantile(gaps, 0.9)};
}

void Evaluation::summarize() {
  std::sort(result_.instances.begin(), result_.instances.end(),
            [](const auto& a, const auto& b) { return a.index < b.index; });
  Mean cost, reference, gap;
  std::vector<Mean> curve_cost(curve_.size()), curve_gap(curve_.size());
  std::vector<std::vector<double>> gaps(curve_.size());
  for (const InstanceResult& done : result_.instances) {
    const std::optional<double> known = instances_[static_cast<std::size_t>(done.index)].reference_cost;
    if (known) reference.add(*known);
    if (!done.feasible) {
      ++result_.infeasible;
      continue;
    }
    cost.add(done.cost);
    if (done.gap) gap.add(*done.gap);
    for (std::size_t point = 0; point < curve_.size(); ++point) {
      curve_cost[point].add(done.curve[point]);
      if (!done.gap) continue;
      gaps[point].push_back(done.curve[point] / *known - 1);
      curve_gap[point].add(gaps[point].back());
    }
  }
  result_.mean_cost = cost.value().value_or(0);
  result_.mean_reference = reference.value();
  result_.mean_gap = gap.value();
  for (std::size_t point = 0; point < curve_.size(); ++point)
    result_.curve.push_back({curve_[point], curve_cost[point].value().value_or(0), curve_gap[point].value(),
                             spread_of(std::move(gaps[point]))});
  result_.stopped = result_.instances.size() < instances_.size();
  result_.seconds = seconds();
  result_.instance_steps_per_second = steps_done_ / std::max(result_.seconds, 1e-9);
}

}  // namespace

SetResult evaluate_set(std::span<const Instance> instances, std::shared_ptr<const policy::Model> model,
                       policy::Backend& backend, const EvaluateOptions& options, const SetCallbacks& callbacks) {
  check(instances, model.get(), options);
  return Evaluation(instances, std::move(model), backend, options, callbacks).run();
}

}  // namespace neuopt::search
