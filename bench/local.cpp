// Local searches per second on one core, at TSP-100 and CVRP-100: from the start of the paper's protocol, and from a
// local optimum that a few random exchanges have disturbed, as the polish finds its tours.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "env/host_instance.h"
#include "kopt/action.h"
#include "kopt/exchange.h"
#include "local/polish.h"
#include "problem/generate.h"

namespace neuopt {
namespace {

constexpr int kInstances = 32;
constexpr int kExchanges = 5;  // that disturb a tour

/// An instance and a tour to begin from.
struct Case {
  SearchInstance search;
  std::vector<std::byte> nodes;
  local::Neighbours neighbours;
  std::vector<int> start;

  local::LocalTask task() const { return {env::view_of(search, nodes, {}), neighbours.view(), {}}; }
};

void disturb(std::vector<int>& order, std::uint32_t key) {
  const int nodes = static_cast<int>(order.size());
  std::vector<int> position(order.size()), scratch(order.size());
  for (int p = 0; p < nodes; ++p) position[order[p]] = p;
  const kopt::TourView tour{nodes, order.data(), position.data()};
  for (std::uint32_t i = 0; i < kExchanges; ++i) {
    const Philox4 words = Random{2}.words(Draw::test, key, i, 0, 0);
    const auto below = [](std::uint32_t word, int bound) {
      return static_cast<int>(uniform_below(word, static_cast<std::uint32_t>(bound)));
    };
    int cuts[1];
    kopt::Action action = kopt::start_action(tour, below(words.word[0], nodes), cuts);
    kopt::choose(action, 2 + below(words.word[1], 15));
    kopt::apply_exchange(SerialLanes{}, tour, action, scratch.data());
  }
}

template <class Problem>
std::vector<Case> make_cases(bool disturbed) {
  using Search = local::LocalSearch<Problem>;
  const ProblemKind kind = Problem::traits.depots ? ProblemKind::cvrp : ProblemKind::tsp;
  std::vector<Case> cases;
  for (std::uint32_t i = 0; i < kInstances; ++i) {
    Case one{make_search_instance(generate_uniform(kind, 100, 1, i)), {}, {}, {}};
    one.nodes = env::node_table(one.search);
    one.neighbours = local::find_neighbours(one.search);
    one.start = env::standard_start(one.search, Random{1}, i, 0);
    if (disturbed) {
      std::vector<double> workspace(Search::bytes(one.search.size()) / sizeof(double) + 1);
      Search::polish(SerialLanes{}, one.task(), one.start.data(), workspace.data());
      disturb(one.start, i);
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

template <class Problem, bool disturbed>
void polish(benchmark::State& state) {
  using Search = local::LocalSearch<Problem>;
  const std::vector<Case> cases = make_cases<Problem>(disturbed);
  std::vector<double> workspace(Search::bytes(cases[0].search.size()) / sizeof(double) + 1);
  std::vector<int> order;
  std::size_t next = 0;
  for (auto _ : state) {
    const Case& one = cases[next++ % kInstances];
    order = one.start;
    benchmark::DoNotOptimize(Search::polish(SerialLanes{}, one.task(), order.data(), workspace.data()));
  }
  state.counters["searches/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(polish<env::Tsp, false>)->Name("tsp100_standard_start");
BENCHMARK(polish<env::Tsp, true>)->Name("tsp100_disturbed");
BENCHMARK(polish<env::Cvrp, false>)->Name("cvrp100_standard_start");
BENCHMARK(polish<env::Cvrp, true>)->Name("cvrp100_disturbed");

}  // namespace
}  // namespace neuopt

BENCHMARK_MAIN();
