// One search on one instance with everything it needs: what tests of the environment start from.
#pragma once

#include <utility>
#include <vector>

#include "env/features.h"
#include "env/step.h"
#include "support/random_tour.h"

namespace neuopt::test {

struct World {
  std::vector<float> x, y, demand;  // demand is empty for the TSP
  int depots = 0;
  float epsilon = 1;
  Tour tour;
  std::vector<float> up_to, after, route;
  std::vector<int> scratch;
  env::GireParameters gire;
  env::SearchStatus status{};

  World(std::vector<float> xs, std::vector<float> ys, std::vector<float> demands, int depot_copies, Tour start)
      : x(std::move(xs)),
        y(std::move(ys)),
        demand(std::move(demands)),
        depots(depot_copies),
        tour(std::move(start)),
        up_to(x.size()),
        after(x.size()),
        route(depots),
        scratch(x.size()) {
    begin();
  }

  int nodes() const { return tour.size(); }

  env::ProblemView problem() const {
    env::ProblemView view{};
    view.nodes = nodes();
    view.depots = depots;
    view.x = x.data();
    view.y = y.data();
    view.demand = demand.empty() ? nullptr : demand.data();
    view.epsilon = epsilon;
    view.tolerance = 1e-5f;
    return view;
  }

  env::LoadsView loads() { return {up_to.data(), after.data(), route.data()}; }

  /// Computes the loads of the tour and starts a search from it.
  void begin() {
    if (depots > 0) env::compute_loads(SerialLanes{}, problem(), tour.view(), loads());
    status = env::start_status(problem(), tour.view(), loads());
  }

  env::Reward step(const Choices& choices, float mean_improvement = 0) {
    std::vector<int> cuts;
    const kopt::Action action = make_action(tour.view(), choices, cuts);
    return env::take_step(SerialLanes{}, problem(), gire, mean_improvement, action, tour.view(), loads(),
                          scratch.data(), status);
  }

  std::vector<float> features() {
    std::vector<float> out(static_cast<std::size_t>(nodes()) * env::feature_count(problem()));
    env::write_features(SerialLanes{}, problem(), loads(), gire, x.data(), y.data(), out.data());
    return out;
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
  return World(std::move(x), std::move(y), std::move(demand), depots, std::move(tour));
}

}  // namespace neuopt::test
