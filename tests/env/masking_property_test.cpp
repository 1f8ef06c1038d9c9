// The mask against brute force: apply each exchange and add up the demands of each route.
#include <cstdint>
#include <vector>

#include "env/masking.h"
#include "support/property.h"
#include "world.h"

namespace neuopt {
namespace {

using test::Choices;
using test::Draws;
using test::World;

constexpr int kCapacity = 20;

/// Whether no route of the tour carries more than the capacity, counted in whole units.
bool is_feasible_by_count(const World& world, const std::vector<int>& order) {
  int load = 0;
  for (const int node : order) {
    load = node < world.depots ? 0 : load + static_cast<int>(world.node[node].demand * kCapacity + 0.5f);
    if (load > kCapacity) return false;
  }
  return true;
}

/// The customers in index order behind as many depots as needed, the other depots at the end: a feasible tour.
test::Tour feasible_tour(const World& world) {
  std::vector<int> order{0};
  float load = 0;
  int next_depot = 1;
  for (int node = world.depots; node < world.nodes(); ++node) {
    if (load + world.node[node].demand > 1.00001f && next_depot < world.depots) {
      order.push_back(next_depot++);
      load = 0;
    }
    order.push_back(node);
    load += world.node[node].demand;
  }
  while (next_depot < world.depots) order.push_back(next_depot++);
  return test::Tour(order);
}

/// Compares every legal rank of every anchor; returns how many of them the mask allows.
int compare_all(World& world) {
  int allowed = 0;
  for (int anchor = 0; anchor < world.nodes(); ++anchor) {
    const env::TwoOptMask mask =
        env::make_two_opt_mask(world.instance(), world.tour.view(), world.routes.data(), anchor);
    for (int rank = 1; rank <= world.nodes() - 2; ++rank) {
      test::Tour after = world.tour;
      std::vector<int> cuts;
      kopt::apply_exchange(SerialLanes{}, after.view(), test::make_action(after.view(), Choices{anchor, {rank}}, cuts),
                           world.scratch.data());
      const int node = kopt::node_at_rank(world.tour.view(), world.tour.position[anchor], rank);
      const bool allows = env::leads_to_feasible(mask, world.routes.data(), node, rank);
      RC_ASSERT(allows == is_feasible_by_count(world, after.order));
      allowed += allows;
    }
  }
  return allowed;
}

TEST(MaskingProperty, EqualsBruteForceFromAnyTour) {
  test::check_property(5000, [] {
    const int depots = *rc::gen::inRange(1, 8).as("depots");
    const int customers = *rc::gen::inRange(3, 16).as("customers");
    Draws draws(*rc::gen::arbitrary<std::uint64_t>().as("seed"));
    World world = test::random_world(depots + customers, depots, kCapacity, draws);
    compare_all(world);
  });
}

TEST(MaskingProperty, KeepsAFeasibleSearchFeasible) {
  test::check_property(500, [] {
    const int customers = *rc::gen::inRange(3, 16).as("customers");
    Draws draws(*rc::gen::arbitrary<std::uint64_t>().as("seed"));
    World world = test::random_world(2 * customers, customers, kCapacity, draws);
    world.tour = feasible_tour(world);
    world.begin();
    for (int step = 0; step < 5; ++step) {
      RC_ASSERT(compare_all(world) >= world.nodes());  // the void action of each anchor at least
      const int anchor = draws.below(world.nodes());
      const env::TwoOptMask mask =
          env::make_two_opt_mask(world.instance(), world.tour.view(), world.routes.data(), anchor);
      int rank = draws.between(1, world.nodes() - 2);
      const auto allows = [&](int r) {
        const int node = kopt::node_at_rank(world.tour.view(), world.tour.position[anchor], r);
        return env::leads_to_feasible(mask, world.routes.data(), node, r);
      };
      while (!allows(rank)) --rank;  // ends at 1
      world.step(Choices{anchor, {rank}});
      RC_ASSERT(env::is_feasible(world.status()));
    }
  });
}

}  // namespace
}  // namespace neuopt
