// One search step of CVRP-100 without the network: build an action from chosen ranks, apply it, bring loads, costs and
// rewards up to date, write the features. Compared in the same run with the plain way: a successor array that is
// relinked and then walked to rebuild positions, loads, cost and features.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "core/philox.h"
#include "env/observation.h"

namespace neuopt {
namespace {

constexpr int kDepots = 20;
constexpr int kNodes = 120;
constexpr int kMoves = 4;          // K
constexpr int kActions = 1 << 12;  // drawn before the clock starts; used in turn

/// The choices of one action: the anchor, then ranks until the action is closed.
struct Choices {
  int anchor;
  int count;
  int rank[kMoves - 1];
};

int draw(std::uint32_t& counter, int bound) {
  const Philox4 words = Random{1}.words(Draw::test, counter++, 0, 0, 0);
  return static_cast<int>(uniform_below(words.word[0], static_cast<std::uint32_t>(bound)));
}

/// Legal choices depend on ranks only, so that they can be drawn without the tour they will be applied to.
std::vector<Choices> draw_actions() {
  std::vector<Choices> actions(kActions);
  std::uint32_t counter = 0;
  int cuts[kMoves - 1];
  for (Choices& choices : actions) {
    choices = Choices{draw(counter, kNodes), 0, {}};
    kopt::Action action{kNodes, choices.anchor, 0, 0, false, 0, cuts};
    while (choices.count < kMoves - 1 && !action.closed) {
      const kopt::LegalRanks legal = kopt::legal_ranks(action);
      choices.rank[choices.count] = (legal.first + draw(counter, legal.last - legal.first + 1)) % kNodes;
      kopt::choose(action, choices.rank[choices.count++]);
    }
  }
  return actions;
}

/// A uniform instance (demands 1..9, capacity 50) and a start with five customers after each depot.
struct Search {
  std::vector<float> x, y, features;
  std::vector<env::Cvrp::Node> node_table;
  std::vector<env::Cvrp::Route> routes;
  std::vector<int> order, position, best_order, scratch;
  env::SearchRules rules{};
  env::SearchState state{};

  Search()
      : x(kNodes),
        y(kNodes),
        features(kNodes * env::kFeatures<env::Cvrp>),
        node_table(kNodes),
        routes(kNodes),
        order(kNodes),
        position(kNodes),
        best_order(kNodes),
        scratch(kNodes) {
    std::uint32_t counter = 1u << 24;
    for (int node = 0; node < kNodes; ++node) {
      const bool copy = node > 0 && node < kDepots;
      x[node] = copy ? x[0] : static_cast<float>(draw(counter, 10000)) / 10000.0f;
      y[node] = copy ? y[0] : static_cast<float>(draw(counter, 10000)) / 10000.0f;
      node_table[node].demand = node < kDepots ? 0.0f : static_cast<float>(1 + draw(counter, 9)) / 50.0f;
    }
    for (int p = 0; p < kNodes; ++p) order[p] = p % 6 == 0 ? p / 6 : kDepots + p - p / 6 - 1;
    for (int p = 0; p < kNodes; ++p) position[order[p]] = p;
    env::start_search(SerialLanes{}, rules, search(), state);
  }

  env::Search<env::Cvrp> search() {
    return {.instance = {.nodes = kNodes,
                         .depots = kDepots,
                         .x = x.data(),
                         .y = y.data(),
                         .node = node_table.data(),
                         .matrix = nullptr,
                         .place = nullptr,
                         .places = 0,
                         .epsilon = 1.0f},
            .tour = tour(),
            .routes = routes.data(),
            .best_order = best_order.data(),
            .scratch = scratch.data()};
  }

  kopt::TourView tour() { return {kNodes, order.data(), position.data()}; }

  void write_features() {
    env::write_features<env::Cvrp, env::RowOrder::node>(SerialLanes{}, rules, search(), state, features.data());
  }

  env::Reward step(const Choices& choices) {
    int cuts[kMoves - 1];
    kopt::Action action = kopt::start_action(tour(), choices.anchor, cuts);
    for (int i = 0; i < choices.count; ++i) kopt::choose(action, choices.rank[i]);
    const env::Reward reward = env::take_step(SerialLanes{}, rules, search(), action, 0.01f, state).reward;
    write_features();
    return reward;
  }
};

/// The same search on a successor array, everything rebuilt in each step.
struct RebuildingSearch : Search {
  std::vector<int> next;

  RebuildingSearch() : next(kNodes) {
    for (int p = 0; p < kNodes; ++p) next[order[p]] = order[(p + 1) % kNodes];
  }

  /// Turns round the segments between the cuts in the tour as it is met from the anchor, and relinks it.
  void relink(const Choices& choices) {
    int node = choices.anchor;
    for (int rank = 0; rank < kNodes; ++rank, node = next[node]) scratch[rank] = node;
    int first = 1;
    for (int i = 0; i < choices.count && choices.rank[i] > first; ++i) {
      std::reverse(scratch.begin() + first, scratch.begin() + choices.rank[i] + 1);
      first = choices.rank[i] + 1;
    }
    for (int rank = 0; rank < kNodes; ++rank) next[scratch[rank]] = scratch[(rank + 1) % kNodes];
  }

  env::Reward step(const Choices& choices) {
    relink(choices);
    int node = 0;
    for (int p = 0; p < kNodes; ++p, node = next[node]) {
      order[p] = node;
      position[node] = p;
    }
    const env::InstanceView instance = search().instance;
    const float violation = env::Cvrp::walk(SerialLanes{}, instance, tour(), routes.data());
    const double cost = env::tour_cost(instance, tour());
    const double best_before = state.status.best_cost;
    const env::Reward reward =
        env::record_solution<env::Cvrp>(cost, violation, instance.epsilon, rules.gire, 0.01f, state.status);
    if (state.status.best_cost < best_before) best_order = order;
    write_features();
    return reward;
  }
};

template <class Kind>
void take_steps(benchmark::State& state) {
  const std::vector<Choices> actions = draw_actions();
  Kind search;
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(search.step(actions[next++ % kActions]));
    benchmark::ClobberMemory();
  }
  state.counters["steps/s"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(take_steps<Search>)->Name("cvrp100_step")->Repetitions(9);
BENCHMARK(take_steps<RebuildingSearch>)->Name("cvrp100_step_rebuilt")->Repetitions(9);

/// Both ways must go through the same solutions, or their times say nothing.
bool same_search() {
  Search search;
  RebuildingSearch rebuilt;
  for (const Choices& choices : draw_actions()) {
    search.step(choices);
    rebuilt.step(choices);
    if (search.order != rebuilt.order || search.features != rebuilt.features) return false;
    if (std::fabs(search.state.status.cost - rebuilt.state.status.cost) > 1e-9) return false;
  }
  return true;
}

/// The console reporter, with the best processor time of each benchmark kept: other programs can only add to it.
class BestTimes : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      const double seconds = run.cpu_accumulated_time / static_cast<double>(run.iterations);
      const auto [entry, is_new] = seconds_.try_emplace(run.run_name.function_name, seconds);
      if (!is_new) entry->second = std::min(entry->second, seconds);
    }
  }

  void print_ratio(const std::string& ours, const std::string& baseline) const {
    if (seconds_.count(ours) == 0 || seconds_.count(baseline) == 0) return;
    const double step = seconds_.at(ours), other = seconds_.at(baseline);
    std::printf("best of all repetitions: %.0f steps/s, rebuilt %.0f steps/s, ratio %.2f\n", 1 / step, 1 / other,
                other / step);
  }

 private:
  std::map<std::string, double> seconds_;  // for one iteration
};

}  // namespace
}  // namespace neuopt

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (!neuopt::same_search()) {
    std::fprintf(stderr, "the two ways to take a step disagree\n");
    return 1;
  }
  neuopt::BestTimes reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print_ratio("cvrp100_step", "cvrp100_step_rebuilt");
  return 0;
}
