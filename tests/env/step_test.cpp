// Debug builds notice when a move does not cost what its changed edges say.
#include <gtest/gtest.h>

#include <vector>

#include "env/search.h"
#include "world.h"

namespace neuopt {
namespace {

TEST(StepDeathTest, DebugBuildsCheckTheDelta) {
  if (!env::kCheckDelta) GTEST_SKIP() << "only checked in debug builds";
  // A one-way cost breaks the assumption that an edge costs the same in both directions.
  std::vector<float> matrix(25, 1);
  matrix[1 * 5 + 2] = 9;
  const std::vector<int> place{0, 1, 2, 3, 4};
  test::World world({0, 0, 1, 1, 2}, {0, 1, 1, 0, 2}, {}, 0, test::identity_tour(5));
  env::InstanceView instance = world.instance();
  instance.matrix = matrix.data();
  instance.place = place.data();
  instance.places = 5;
  std::vector<int> cuts;
  const kopt::Action action = test::make_action(world.tour.view(), test::Choices{0, {3}}, cuts);
  const env::Search<env::Tsp> search{instance, world.tour.view(), nullptr, world.best_order.data(),
                                     world.scratch.data()};
  EXPECT_DEATH(env::take_step(SerialLanes{}, world.rules, search, action, 0, world.state), "cost_before");
}

}  // namespace
}  // namespace neuopt
