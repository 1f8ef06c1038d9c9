// The library as its users see it: one header.
#include "neuopt.h"

#include <gtest/gtest.h>

#include "search_fixture.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

TEST(Library, SolvesWithAModelFile) {
  const testing::TemporaryFolder folder;
  const Instance instance = generate_uniform(ProblemKind::cvrp, 15, 1, 0);
  policy::save_model(folder / "m.safetensors", *test::small_model(ProblemKind::cvrp));
  SolveOptions options;
  options.steps = 10;
  const SolveResult result = solve(instance, options, {}, folder / "m.safetensors");
  EXPECT_TRUE(verify(instance, result.solution).feasible);
  const SolutionFile again = parse_solution(write_solution(instance, result.solution, result.cost), "memory", instance);
  EXPECT_EQ(again.solution.routes, result.solution.routes);
}

TEST(Library, UnknownDevicesAreRefused) {
  const Instance instance = generate_uniform(ProblemKind::tsp, 5, 1, 0);
  EXPECT_THROW(solve(instance, {}, {}, "", "abacus"), InputError);
}

}  // namespace
}  // namespace neuopt
