// A step keeps costs and loads what a computation from scratch says they are, for TSP and CVRP, serially or shared.
#include <cmath>
#include <cstdint>
#include <vector>

#include "env/search.h"
#include "support/property.h"
#include "support/thread_lanes.h"
#include "world.h"

namespace neuopt {
namespace {

using test::check_property;
using test::draw_seed;
using test::Draws;
using test::World;

World draw_world(Draws& draws) {
  const int depots = *rc::gen::inRange(0, 6).as("depots (0: TSP)");
  const int others = *rc::gen::inRange(4, 40).as("other nodes");
  return test::random_world(depots + others, depots, 20, draws);
}

TEST(StepProperty, CostIsCostBeforePlusDelta) {
  check_property(100000, [] {
    Draws draws = draw_seed();
    World world = draw_world(draws);
    for (int step = 0; step < 5; ++step) {
      world.step(test::random_choices(world.nodes(), 6, draws));
      RC_ASSERT(std::fabs(world.status().cost - env::tour_cost(world.instance(), world.tour.view())) < 1e-10);
    }
  });
}

TEST(StepProperty, LoadsAreSumsOverRoutes) {
  check_property(100000, [] {
    Draws draws = draw_seed();
    World world = draw_world(draws);
    if (world.depots == 0) return;
    world.step(test::random_choices(world.nodes(), 6, draws));
    const std::vector<int>& order = world.tour.order;
    double violation = 0;
    for (int p = 0; p < world.nodes();) {
      double load = 0;
      int end = p + 1;
      while (end < world.nodes() && order[end] >= world.depots) load += world.node[order[end++]].demand;
      double so_far = 0;
      for (int q = p; q < end; ++q) {
        so_far += world.node[order[q]].demand;
        RC_ASSERT(std::fabs(world.routes[order[q]].up_to - so_far) < 1e-5);
        RC_ASSERT(std::fabs(world.routes[order[q]].after - (load - so_far)) < 1e-5);
      }
      RC_ASSERT(std::fabs(world.routes[order[p]].after - load) < 1e-5);
      violation += std::max(0.0, load - 1.00001);
      p = end;
    }
    RC_ASSERT(std::fabs(world.status().violation - violation) < 1e-5);
    RC_ASSERT(env::is_feasible(world.status()) == (violation < 1e-3));  // loads are multiples of 1/20
  });
}

TEST(StepProperty, LanesAgreeToTheBit) {
  check_property(50, [] {
    Draws draws = draw_seed();
    World serial = draw_world(draws);
    World shared = serial;
    const test::Choices choices = test::random_choices(serial.nodes(), 6, draws);
    std::vector<int> cuts;
    const kopt::Action action = test::make_action(shared.tour.view(), choices, cuts);
    const env::Reward expected = serial.step(choices, 0.5f);
    std::vector<env::SearchState> state(3, shared.state);
    std::vector<env::Reward> reward(3);
    test::run_lanes(3, [&](test::ThreadLanes lanes) {
      shared.with_search([&](const auto& search) {
        reward[lanes.first()] = env::take_step(lanes, shared.rules, search, action, 0.5f, state[lanes.first()]).reward;
      });
    });
    RC_ASSERT(shared.tour.order == serial.tour.order);
    RC_ASSERT(shared.best_order == serial.best_order);
    RC_ASSERT(shared.up_to() == serial.up_to());
    RC_ASSERT(shared.after() == serial.after());
    for (int lane = 0; lane < 3; ++lane) {
      RC_ASSERT(state[lane].status.cost == serial.status().cost);
      RC_ASSERT(state[lane].status.violation == serial.status().violation);
      RC_ASSERT(state[lane].status.history.infeasible == serial.status().history.infeasible);
      RC_ASSERT(reward[lane].improvement == expected.improvement);
      RC_ASSERT(reward[lane].regulation == expected.regulation);
      RC_ASSERT(reward[lane].bonus == expected.bonus);
    }
  });
}

}  // namespace
}  // namespace neuopt
