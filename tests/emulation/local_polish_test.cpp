// The polish of a warp against that of the host: the same tours and costs, to the bit.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "../local/local_world.h"
#include "local/cuda/warp_best.cuh"
#include "local/polish.h"

namespace neuopt::local {
namespace {

/// The lanes of an emulated warp.
struct EmulatedWarp {
  int first() const { return static_cast<int>(threadIdx.x & 31u); }
  int stride() const { return 32; }
  void sync() const { __syncwarp(); }
  friend Move best_of(EmulatedWarp, const Move& mine) { return best_by_votes(mine); }
  template <int kFirst, int kSecond, class Item, class Each>
  friend void spread(const EmulatedWarp&, bool first, bool second, const Item& item, Each&& each) {
    spread_by_ballots<kFirst, kSecond>(first, second, item, each);
  }
};

struct Copies {
  std::vector<test::LocalWorld> worlds;
  std::vector<env::InstanceView> views;
  std::vector<NeighbourView> neighbours;
  std::vector<std::int32_t> order, best_order;
  std::vector<double> best_cost;

  explicit Copies(std::vector<test::LocalWorld> of) : worlds(std::move(of)) {
    for (test::LocalWorld& world : worlds) {
      views.push_back(world.view());
      neighbours.push_back(world.neighbours.view());
      order.insert(order.end(), world.order.begin(), world.order.end());
    }
    best_order.assign(order.size(), -1);
    best_cost.assign(worlds.size(), std::numeric_limits<double>::infinity());
  }

  PolishBatch batch(const LocalRules& rules) {
    return {.copies = static_cast<int>(worlds.size()),
            .nodes = worlds[0].search.size(),
            .instances = views.data(),
            .neighbours = neighbours.data(),
            .rules = rules,
            .order = order.data(),
            .best_order = best_order.data(),
            .best_cost = best_cost.data()};
  }
};

/// More pairs than lanes, as many, fewer.
constexpr int kNeighbours[] = {20, 16, 7};

template <class Problem>
void expect_same_polish(test::Sort sort, double penalty, unsigned schedule) {
  test::Draws draws(17 + schedule);
  std::vector<test::LocalWorld> worlds;
  for (int copy = 0; copy < 3; ++copy) {
    worlds.emplace_back(
        test::sorted_instance(Problem::traits.depots ? ProblemKind::cvrp : ProblemKind::tsp, 23, sort, draws),
        kNeighbours[schedule % 3], 20);
    if (copy > 0) worlds.back().shuffle(draws);
  }
  LocalRules rules;
  rules.penalty = penalty;
  Copies host(worlds), device(worlds);
  const std::size_t bytes = polish_bytes<Problem>(worlds[0].search.size());
  std::vector<double> workspace(3 * bytes / sizeof(double));
  const PolishBatch on_host = host.batch(rules), on_device = device.batch(rules);
  for (long row = 0; row < 3; ++row)
    polish_copy<Problem>(SerialLanes{}, on_host, host.views[row], row, workspace.data());
  emulation::run(
      dim3(2), 64, 0,
      [&] {
        const long row = static_cast<long>(blockIdx.x) * 2 + threadIdx.x / 32;
        if (row < 3)
          polish_copy<Problem>(
              EmulatedWarp{}, on_device, device.views[row], row,
              reinterpret_cast<std::uint8_t*>(workspace.data()) + static_cast<std::size_t>(row) * bytes);
      },
      schedule);
  EXPECT_EQ(device.best_order, host.best_order);
  EXPECT_EQ(device.best_cost, host.best_cost);
  if (penalty > 1000) {
    EXPECT_LT(host.best_cost[0], std::numeric_limits<double>::infinity());  // it began feasible
  }
}

TEST(LocalPolish, OfAWarpIsThatOfTheHost) {
  for (unsigned schedule = 0; schedule < 3; ++schedule)
    for (const test::Sort sort : {test::Sort::uniform, test::Sort::equal_points, test::Sort::matrix}) {
      expect_same_polish<env::Tsp>(sort, 1e6, schedule);
      expect_same_polish<env::Cvrp>(sort, 1e6, schedule);
      expect_same_polish<env::Cvrp>(sort, 1, schedule);
    }
}

}  // namespace
}  // namespace neuopt::local
