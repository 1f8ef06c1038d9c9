// One search on one instance with everything it needs: what tests of the environment start from.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "env/observation.h"
#include "support/random_tour.h"

namespace neuopt::test {

/// A TSP, or with depots a CVRP.
struct World {
  std::vector<float> x, y;
  std::vector<env::Cvrp::Node> node;  // empty for the TSP
  int depots = 0;
  float epsilon = 1;
  std::vector<float> matrix;  // (places, places); empty: costs are straight lines
  std::vector<int> place;     // (N)
  Tour tour;
  std::vector<env::Cvrp::Route> routes;
  std::vector<int> best_order, scratch;
  env::SearchRules rules{};  // nothing is augmented
  env::SearchState state{};

  World(std::vector<float> xs, std::vector<float> ys, const std::vector<float>& demands, int depot_copies, Tour start)
      : x(std::move(xs)),
        y(std::move(ys)),
        depots(depot_copies),
        tour(std::move(start)),
        routes(x.size()),
        best_order(x.size()),
        scratch(x.size()) {
    for (const float demand : demands) node.push_back({demand});
    begin();
  }

  int nodes() const { return tour.size(); }
  /// Rows of the matrix: all depots are at one place.
  int places() const { return nodes() - std::max(depots - 1, 0); }
  const env::SearchStatus& status() const { return state.status; }
  env::GireParameters& gire() { return rules.gire; }

  env::InstanceView instance() const {
    return {.nodes = nodes(),
            .depots = depots,
            .x = x.data(),
            .y = y.data(),
            .node = node.data(),
            .matrix = matrix.empty() ? nullptr : matrix.data(),
            .place = place.data(),
            .places = places(),
            .epsilon = epsilon};
  }

  /// Calls work(search) with the search of the right problem.
  template <class Work>
  decltype(auto) with_search(Work&& work) {
    return env::for_problem(depots > 0 ? ProblemKind::cvrp : ProblemKind::tsp, [&](auto problem) {
      env::Search<decltype(problem)> search{instance(), tour.view(), nullptr, best_order.data(), scratch.data()};
      search.routes = reinterpret_cast<decltype(search.routes)>(routes.data());
      return work(search);
    });
  }

  /// Starts a search from the tour.
  void begin() {
    with_search([&](const auto& search) { env::start_search(SerialLanes{}, rules, search, state); });
  }

  env::Reward step(const Choices& choices, float mean_improvement = 0) {
    std::vector<int> cuts;
    const kopt::Action action = make_action(tour.view(), choices, cuts);
    return with_search([&](const auto& search) {
      return env::take_step(SerialLanes{}, rules, search, action, mean_improvement, state).reward;
    });
  }

  /// The rows of features() by position in the tour, as batches of searches have them.
  std::vector<float> features_in_tour_order() {
    const std::vector<float> by_node = features();
    const auto width = static_cast<std::ptrdiff_t>(by_node.size()) / nodes();
    std::vector<float> rows;
    for (const int n : tour.order)
      rows.insert(rows.end(), by_node.begin() + n * width, by_node.begin() + (n + 1) * width);
    return rows;
  }

  std::vector<float> features() {
    return with_search([&]<class Problem>(const env::Search<Problem>& search) {
      std::vector<float> out(static_cast<std::size_t>(nodes()) * env::kFeatures<Problem>);
      env::write_features<Problem, env::RowOrder::node>(SerialLanes{}, rules, search, state, out.data());
      return out;
    });
  }

  std::vector<float> up_to() const {
    std::vector<float> loads;
    for (const env::Cvrp::Route& route : routes) loads.push_back(route.up_to);
    return loads;
  }
  std::vector<float> after() const {
    std::vector<float> loads;
    for (const env::Cvrp::Route& route : routes) loads.push_back(route.after);
    return loads;
  }
};

/// Uniform points; `depots` copies of the first one; demands 1..9 of a capacity; any tour, feasible or not.
inline World random_world(int nodes, int depots, int capacity, Draws& draws) {
  std::vector<float> x(nodes), y(nodes), demand(depots > 0 ? nodes : 0);
  for (int node = 0; node < nodes; ++node) {
    x[node] = node > 0 && node < depots ? x[0] : draws.unit();
    y[node] = node > 0 && node < depots ? y[0] : draws.unit();
    if (depots > 0)
      demand[node] = node < depots ? 0.0f : static_cast<float>(draws.between(1, 9)) / static_cast<float>(capacity);
  }
  Tour tour = random_tour(nodes, draws);
  return World(std::move(x), std::move(y), demand, depots, std::move(tour));
}

/// Gives a world a symmetric matrix of costs that have nothing to do with its points: of the edges some are much longer
/// than the unit square, and some have no length. Sums of them are exact in single precision.
inline void draw_matrix(World& world, Draws& draws) {
  const int places = world.places();
  world.place.clear();
  for (int node = 0; node < world.nodes(); ++node) world.place.push_back(std::max(node - (world.nodes() - places), 0));
  world.matrix.assign(static_cast<std::size_t>(places) * places, 0.0f);
  for (int from = 0; from < places; ++from) {
    for (int to = 0; to < from; ++to) {
      const int kind = draws.below(10), part = draws.between(1, 1024);
      const int length = kind == 0 ? 0 : kind == 1 ? 10 * (1024 + part) : part;
      world.matrix[from * places + to] = world.matrix[to * places + from] = static_cast<float>(length) / 1024;
    }
  }
  world.begin();
}

/// What exceeds the capacity, over all routes of a tour, counted in the whole units of random_world.
inline int excess_by_count(const World& world, const std::vector<int>& order, int capacity) {
  int load = 0, excess = 0;
  const auto end_route = [&] {
    excess += std::max(0, load - capacity);
    load = 0;
  };
  for (const int node : order) {
    if (node < world.depots)
      end_route();
    else
      load += static_cast<int>(world.node[node].demand * static_cast<float>(capacity) + 0.5f);
  }
  end_route();
  return excess;
}

}  // namespace neuopt::test
