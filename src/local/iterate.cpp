#include "local/iterate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "env/host_instance.h"
#include "local/kicks/double_bridge.h"
#include "local/kicks/string_removal.h"

namespace neuopt::local {
namespace {

constexpr std::int64_t kAskEvery = 64;  // iterations
constexpr int kLooksBetween = 64;       // nodes of the first local search between two questions

template <class Problem>
using KicksOf = std::conditional_t<Problem::traits.depots, StringKicks<Problem>, TspKicks>;

/// The search of one problem.
template <class Problem>
class Iteration {
 public:
  using Kicks = KicksOf<Problem>;

  Iteration(const LocalTask& task, std::vector<int> start, const IterateOptions& options)
      : task_(task), options_(options), start_(polish(std::move(start))), kicks_(task, start_) {
    cost_ += kicks_.penalties();
    note_best();
    look_at_best();
  }

  Iterated run() {
    const double edge = cost_ / std::max(1, task_.instance.nodes - task_.instance.depots);
    const double first = edge * chosen(options_.first_temperature, Kicks::kFirstTemperature);
    const double last = edge * chosen(options_.last_temperature, Kicks::kLastTemperature);
    double temperature = first;
    IterateProgress progress;
    for (; kicks_.can_kick() && progress.iterations < options_.most_iterations; ++progress.iterations) {
      if (progress.iterations % kAskEvery == 0) {
        if (!std::isfinite(best_.cost)) look_at_best();
        progress.best_cost = std::isfinite(best_.cost) ? best_penalised_ : best_.cost;
        const double share = options_.share_done(progress);
        if (!(share < 1)) break;
        temperature = first * std::pow(last / first, share);
      }
      step(progress.iterations, temperature);
    }
    look_at_best();
    best_.iterations = progress.iterations;
    return std::move(best_);
  }

 private:
  static double chosen(double asked, double usual) { return asked > 0 ? asked : usual; }

  std::vector<int> polish(std::vector<int> order) {
    workspace_.resize(LocalSearch<Problem>::bytes(task_.instance.nodes) / sizeof(double) + 1);
    IterateProgress progress;
    progress.best_cost = std::numeric_limits<double>::infinity();
    int asked = 0;
    const auto go_on = [&] { return ++asked % kLooksBetween != 0 || options_.share_done(progress) < 1; };
    const Polished polished =
        options_.polish_start
            ? LocalSearch<Problem>::polish(SerialLanes{}, task_, order.data(), workspace_.data(), go_on)
            : LocalSearch<Problem>::measure(SerialLanes{}, task_.instance, order.data(), workspace_.data());
    cost_ = polished.cost;
    return order;
  }

  void step(std::int64_t iteration, double temperature) {
    KickDraws draws(options_.random, options_.instance_id, options_.copy_id, iteration);
    const double allowed = -temperature * std::log(1 - draws.unit());
    const double delta = kicks_.kick(draws);
    if (!(delta < allowed)) {
      kicks_.undo();
      return;
    }
    kicks_.keep();
    cost_ += delta;
    if (cost_ < best_penalised_ - kLeastGain) note_best();
  }

  /// Costs little: it is written down and measured when somebody asks for it.
  void note_best() {
    best_penalised_ = cost_;
    kicks_.note_best();
  }

  /// Looks at the best tour with the search's own eyes before it counts: those of the local search are a little dimmer.
  void look_at_best() {
    std::vector<int> order = kicks_.best();
    const Polished measured =
        LocalSearch<Problem>::measure(SerialLanes{}, task_.instance, order.data(), workspace_.data());
    const double cost = measured.violation > 0 ? std::numeric_limits<double>::infinity() : measured.cost;
    if (!best_.order.empty() && std::isfinite(best_.cost) && !(cost < best_.cost)) return;
    best_.order = std::move(order);
    best_.cost = cost;
  }

  LocalTask task_;
  const IterateOptions& options_;
  std::vector<double> workspace_;
  double cost_ = 0;  // of the current solution, penalties included
  std::vector<int> start_;
  Kicks kicks_;
  double best_penalised_ = 0;
  Iterated best_;
};

}  // namespace

Iterated iterate(const SearchInstance& instance, const Neighbours& neighbours, std::vector<int> start,
                 const IterateOptions& options) {
  const std::vector<std::byte> nodes = env::node_table(instance);
  const LocalTask task{env::view_of(instance, nodes, {}), neighbours.view(), options.rules};
  return env::for_problem(
      instance.kind, [&](auto problem) { return Iteration<decltype(problem)>(task, std::move(start), options).run(); });
}

}  // namespace neuopt::local
