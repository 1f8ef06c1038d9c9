// The toy problem through everything that is written once for all problems: arrays by bytes, start, steps, violations,
// best tours, features, serially and by several lanes; checked against a computation from scratch.
#include "toy_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "env/observation.h"
#include "support/random_tour.h"
#include "support/thread_lanes.h"

namespace neuopt {
namespace {

using test::ToyProblem;

constexpr int kNodes = 14, kDepots = 4, kCopies = 3;

/// A batch of searches in arrays that are allocated by the problem's sizes, as backends do it.
struct ToyBatch {
  std::vector<float> x, y;                          // (B, N)
  std::vector<std::byte> node, routes;              // (B, N) by bytes
  std::vector<int> order, position, best, scratch;  // (B, N)
  std::vector<env::InstanceView> instances;         // (B)
  std::vector<env::SearchState> states{kCopies, env::SearchState{}};

  explicit ToyBatch(test::Draws& draws)
      : node(kCopies * kNodes * env::kStoredBytes<ToyProblem::Node>),
        routes(kCopies * kNodes * env::kStoredBytes<ToyProblem::Route>),
        order(kCopies * kNodes),
        position(order.size()),
        best(order.size()),
        scratch(order.size()) {
    for (int i = 0; i < kCopies * kNodes; ++i) {
      const bool copy_of_depot = i % kNodes > 0 && i % kNodes < kDepots;
      x.push_back(copy_of_depot ? x.back() : draws.unit());
      y.push_back(copy_of_depot ? y.back() : draws.unit());
      reinterpret_cast<ToyProblem::Node*>(node.data())[i].minutes = i % kNodes < kDepots ? 0 : draws.between(1, 9);
    }
    for (int row = 0; row < kCopies; ++row) {
      instances.push_back({.nodes = kNodes,
                           .depots = kDepots,
                           .x = x.data() + row * kNodes,
                           .y = y.data() + row * kNodes,
                           .node = reinterpret_cast<const ToyProblem::Node*>(node.data()) + row * kNodes,
                           .matrix = nullptr,
                           .place = nullptr,
                           .places = 0,
                           .epsilon = 1});
      states[static_cast<std::size_t>(row)].copy_id = static_cast<std::uint32_t>(row);
    }
  }

  env::SearchBatch view() {
    return {.copies = kCopies,
            .nodes = kNodes,
            .rules = {.gire = {}, .seed = 7, .stall_limit = 5, .augment_start = true},
            .instances = instances.data(),
            .states = states.data(),
            .order = order.data(),
            .position = position.data(),
            .best_order = best.data(),
            .scratch = scratch.data(),
            .routes = routes.data()};
  }

  env::Search<ToyProblem> search(int row) { return env::search_at<ToyProblem>(view(), row); }

  void start(int row) {
    const env::Search<ToyProblem> begun = search(row);
    ToyProblem::write_start(SerialLanes{}, begun.instance, Random{1}, 0, 0, begun.tour.order);
    env::start_search(SerialLanes{}, view().rules, begun, states[static_cast<std::size_t>(row)]);
  }
};

/// Routes that are too long, counted in the plain way.
int long_routes(const env::Search<ToyProblem>& search) {
  const auto distance = [&](int a, int b) {
    return std::hypot(double{search.instance.x[a]} - search.instance.x[b],
                      double{search.instance.y[a]} - search.instance.y[b]);
  };
  int too_long = 0;
  for (int p = 0; p < kNodes;) {
    double length = 0;
    int last = 0;
    for (++p; p < kNodes && search.tour.order[p] >= kDepots; last = search.tour.order[p++])
      length += distance(last, search.tour.order[p]) +
                env::nodes_of<ToyProblem>(search.instance)[search.tour.order[p]].minutes / 64.0;
    too_long += length + distance(last, 0) > ToyProblem::kLimit;
  }
  return too_long;
}

TEST(ToyProblem, RunsThroughTheOneSearch) {
  test::Draws draws(3);
  ToyBatch batch(draws);
  int infeasible = 0;
  for (int row = 0; row < kCopies; ++row) {
    batch.start(row);
    env::SearchState& state = batch.states[static_cast<std::size_t>(row)];
    const env::Search<ToyProblem> search = batch.search(row);
    double best = env::is_feasible(state.status) ? state.status.cost : INFINITY;
    for (int step = 0; step < 300; ++step) {
      std::vector<int> cuts;
      const kopt::Action action = test::make_action(search.tour, test::random_choices(kNodes, 4, draws), cuts);
      env::take_step(SerialLanes{}, batch.view().rules, search, action, 0.0f, state);
      ASSERT_EQ(state.status.violation, long_routes(search));
      ASSERT_NEAR(state.status.cost, env::tour_cost(search.instance, search.tour), 1e-9);
      if (long_routes(search) == 0) best = std::min(best, state.status.cost);
      ASSERT_EQ(state.status.best_cost, best);
      infeasible += env::is_feasible(state.status) ? 0 : 1;
    }
    EXPECT_EQ(state.status.history.steps, 300);
    EXPECT_GT(state.augmentations, 1u);
  }
  EXPECT_GT(infeasible, 0) << "the limit never mattered";
  EXPECT_LT(infeasible, 300 * kCopies) << "no solution was feasible";
}

TEST(ToyProblem, LanesAgree) {
  test::Draws draws(4);
  ToyBatch serial(draws);
  serial.start(0);
  ToyBatch shared = serial;
  for (int row = 0; row < kCopies; ++row) {  // what the views point to was copied as well
    shared.instances[row].x = shared.x.data() + row * kNodes;
    shared.instances[row].y = shared.y.data() + row * kNodes;
    shared.instances[row].node = reinterpret_cast<const ToyProblem::Node*>(shared.node.data()) + row * kNodes;
  }
  for (int step = 0; step < 30; ++step) {
    std::vector<int> cuts, same_cuts;
    const test::Choices choices = test::random_choices(kNodes, 4, draws);
    env::take_step(SerialLanes{}, serial.view().rules, serial.search(0),
                   test::make_action(serial.search(0).tour, choices, cuts), 0.0f, serial.states[0]);
    const kopt::Action action = test::make_action(shared.search(0).tour, choices, same_cuts);
    std::vector<env::SearchState> state(3, shared.states[0]);
    test::run_lanes(3, [&](test::ThreadLanes lanes) {
      env::take_step(lanes, shared.view().rules, shared.search(0), action, 0.0f, state[lanes.first()]);
    });
    shared.states[0] = state[2];
    ASSERT_EQ(shared.order, serial.order);
    ASSERT_EQ(shared.best, serial.best);
    ASSERT_EQ(shared.routes, serial.routes);
    ASSERT_EQ(shared.states[0].status.cost, serial.states[0].status.cost);
    ASSERT_EQ(shared.states[0].status.violation, serial.states[0].status.violation);
  }
}

TEST(ToyProblem, ShowsItsFeaturesToTheNetwork) {
  test::Draws draws(5);
  ToyBatch batch(draws);
  batch.start(1);
  const env::Search<ToyProblem> search = batch.search(1);
  std::vector<float> features(kNodes * env::kFeatures<ToyProblem>);
  env::SearchState as_it_is = batch.states[1];
  as_it_is.augmentations = 0;
  env::write_features<ToyProblem, env::RowOrder::position>(SerialLanes{}, batch.view().rules, search, as_it_is,
                                                           features.data());
  for (int p = 0; p < kNodes; ++p) {
    const int node = search.tour.order[p];
    EXPECT_EQ(features[4 * p], search.instance.x[node]);
    EXPECT_EQ(features[4 * p + 1], search.instance.y[node]);
    EXPECT_EQ(features[4 * p + 2], search.routes[node].length);
    EXPECT_EQ(features[4 * p + 3], node < kDepots ? 1.0f : 0.0f);
  }
}

}  // namespace
}  // namespace neuopt
