// Debug builds notice when a move does not cost what its changed edges say.
#include "env/step.h"

#include <gtest/gtest.h>

#include <vector>

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
  env::ProblemView problem = world.problem();
  problem.matrix = matrix.data();
  problem.place = place.data();
  problem.places = 5;
  std::vector<int> cuts;
  const kopt::Action action = test::make_action(world.tour.view(), test::Choices{0, {3}}, cuts);
  EXPECT_DEATH(env::take_step(SerialLanes{}, problem, world.gire, 0, action, world.tour.view(), world.loads(),
                              world.scratch.data(), world.status),
               "cost_before");
}

}  // namespace
}  // namespace neuopt
