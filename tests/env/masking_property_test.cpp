// The mask against brute force: apply each exchange and add up the demands of each route.
#include <cstdint>
#include <vector>

#include "env/masking.h"
#include "support/property.h"
#include "world.h"

namespace neuopt {
namespace {

using test::Choices;
using test::draw_seed;
using test::Draws;
using test::World;

constexpr int kCapacity = 20;

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

/// Calls compare(excess after it, whether the mask allows it, rank) for every second choice after every anchor.
template <class Compare>
void for_each_exchange(World& world, const Compare& compare) {
  const std::vector<float> by_node = world.features();
  std::vector<float> by_position;
  const auto width = static_cast<std::ptrdiff_t>(env::Cvrp::traits.features);
  for (const int node : world.tour.order)
    by_position.insert(by_position.end(), by_node.begin() + node * width, by_node.begin() + (node + 1) * width);
  for (int anchor = 0; anchor < world.nodes(); ++anchor) {
    const env::TwoOptMask mask =
        env::make_two_opt_mask({by_node.data(), world.tour.order.data()}, world.nodes(), world.tour.position[anchor]);
    const env::TwoOptMask same =
        env::make_two_opt_mask({by_position.data()}, world.nodes(), world.tour.position[anchor]);
    for (int rank = 1; rank <= world.nodes() - 2; ++rank) {
      test::Tour after = world.tour;
      std::vector<int> cuts;
      kopt::apply_exchange(SerialLanes{}, after.view(), test::make_action(after.view(), Choices{anchor, {rank}}, cuts),
                           world.scratch.data());
      const int position = kopt::wrap(world.tour.position[anchor] + rank, world.nodes());
      RC_ASSERT(mask.allows(position) == same.allows(position));
      compare(test::excess_by_count(world, after.order, kCapacity), mask.allows(position), rank);
    }
  }
}

TEST(MaskingProperty, NothingIsOverloadedFromAnyTour) {
  test::check_property(3000, [] {
    const int depots = *rc::gen::inRange(1, 8).as("depots");
    const int customers = *rc::gen::inRange(3, 16).as("customers");
    Draws draws = draw_seed();
    World world = test::random_world(depots + customers, depots, kCapacity, draws);
    const int before = test::excess_by_count(world, world.tour.order, kCapacity);
    for_each_exchange(world, [&](int after, bool allowed, int rank) {
      if (allowed) RC_ASSERT(after <= before);
      if (rank == 1) RC_ASSERT(allowed);
    });
  });
}

TEST(MaskingProperty, EqualsBruteForceAndKeepsAFeasibleSearchFeasible) {
  test::check_property(500, [] {
    const int customers = *rc::gen::inRange(3, 16).as("customers");
    Draws draws = draw_seed();
    World world = test::random_world(2 * customers, customers, kCapacity, draws);
    world.tour = feasible_tour(world);
    world.begin();
    for (int step = 0; step < 5; ++step) {
      for_each_exchange(world, [](int after, bool allowed, int) { RC_ASSERT(allowed == (after == 0)); });
      const int anchor = draws.below(world.nodes());
      const std::vector<float> features = world.features();
      const env::TwoOptMask mask = env::make_two_opt_mask({features.data(), world.tour.order.data()}, world.nodes(),
                                                          world.tour.position[anchor]);
      int rank = draws.between(1, world.nodes() - 2);
      while (!mask.allows(kopt::wrap(world.tour.position[anchor] + rank, world.nodes()))) --rank;  // ends at 1
      world.step(Choices{anchor, {rank}});
      RC_ASSERT(env::is_feasible(world.status()));
    }
  });
}

}  // namespace
}  // namespace neuopt
