// The library as its users see it: one header.
#include "neuopt.h"

#include <gtest/gtest.h>

#include "core/file.h"
#include "search_fixture.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

/// A folder with a small random model.
struct ModelFile {
  test::TemporaryFolder folder;
  std::string path = folder / "m.safetensors";

  explicit ModelFile(ProblemKind kind) { policy::save_model(path, *test::small_model(kind)); }
};

SolveOptions ten_steps() {
  SolveOptions options = search::paper_protocol();
  options.steps = 10;
  options.copies = 2;
  return options;
}

TEST(Library, SolvesWithAModelFile) {
  const ModelFile model(ProblemKind::cvrp);
  const Instance instance = generate_uniform(ProblemKind::cvrp, 15, 1, 0);
  Solver solver({.model = model.path});
  const SolveResult result = solver.solve(instance, ten_steps());
  EXPECT_TRUE(verify(instance, result.solution).feasible);
  EXPECT_EQ(result.model, model.path);
  EXPECT_EQ(result.checksum, policy::load_model(model.path).checksum);
  EXPECT_EQ(result.device, solver.device());
  const SolutionFile again = parse_solution(write_solution(instance, result.solution, result.cost), "memory", instance);
  EXPECT_EQ(again.solution.routes, result.solution.routes);
}

TEST(Library, ALoneInstanceIsTheFirstOfASet) {
  const ModelFile model(ProblemKind::tsp);
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 15, 3);
  Solver solver({.model = model.path});
  const std::vector<SolveResult> results = solver.solve(set, ten_steps());
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(solver.solve(set[0], ten_steps()).solution.routes, results[0].solution.routes);
  EXPECT_NE(solver.solve(set[1], ten_steps()).solution.routes, results[1].solution.routes) << "other random numbers";
}

TEST(Library, APartOfASetHasTheAnswersOfTheWhole) {
  const ModelFile model(ProblemKind::tsp);
  const std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 15, 3);
  const std::vector<SolveResult> whole = Solver({.model = model.path}).solve(set, ten_steps());
  SolveOptions options = ten_steps();
  options.first_place = 1;
  Solver elsewhere({.model = "sent", .model_bytes = read_file(model.path)});
  const std::vector<SolveResult> part = elsewhere.solve(std::span(set).subspan(1), options);
  ASSERT_EQ(part.size(), 2u);
  EXPECT_EQ(part[0].instance, 0) << "of those given";
  EXPECT_EQ(part[0].solution.routes, whole[1].solution.routes);
  EXPECT_EQ(part[1].solution.routes, whole[2].solution.routes);
  EXPECT_EQ(part[0].checksum, whole[0].checksum);
  EXPECT_EQ(part[0].model, "sent");
  EXPECT_THROW(Solver({.model_bytes = "no model"}), InputError);
}

TEST(Library, EachInstanceGetsTheModelNearestToItsSize) {
  if (search::bundled_models().size() < 2) GTEST_SKIP() << "needs bundled models";
  const std::vector<Instance> set = {generate_uniform(ProblemKind::tsp, 20, 1, 0),
                                     generate_uniform(ProblemKind::tsp, 100, 1, 0),
                                     generate_uniform(ProblemKind::tsp, 4, 1, 0)};
  Solver solver;
  const std::vector<SolveResult> results = solver.solve(set, {.copies = 1, .steps = 2});
  EXPECT_EQ(results.at(0).model, "tsp20");
  EXPECT_EQ(results.at(1).model, "tsp100");
  EXPECT_EQ(results.at(2).model, "") << "tiny";
  EXPECT_EQ(solver.model_for(set[1]).checksum, results[1].checksum);
}

TEST(Library, ATimeLimitCountsFromTheCall) {
  const ModelFile model(ProblemKind::tsp);
  Solver solver({.model = model.path});
  const SolveResult result =
      solver.solve(generate_uniform(ProblemKind::tsp, 30, 1, 0), {.steps = std::nullopt, .time_limit = 0.2});
  EXPECT_EQ(result.stopped_by, StopReason::time);
  EXPECT_GT(result.steps, 0);
}

TEST(Library, SaysWhatIsWrongWithoutNamingOptionsOfTheProgram) {
  const ModelFile model(ProblemKind::tsp);
  Solver solver({.model = model.path});
  std::vector<Instance> set = test::uniform_set(ProblemKind::tsp, 15, 3);
  const auto error = [&](const auto& action) -> std::string {
    try {
      action();
    } catch (const InputError& wrong) {
      return wrong.what();
    }
    return "nothing was wrong";
  };
  const std::string other = error([&] { solver.solve(generate_uniform(ProblemKind::cvrp, 15, 1, 0)); });
  EXPECT_EQ(other, "model " + model.path + ": the model is for the TSP, not for the CVRP");
  set[2].coordinates.pop_back();
  EXPECT_NE(error([&] { solver.solve(set); }).find("instance 2"), std::string::npos);
  EXPECT_NE(error([&] { solver.solve(set[2]); }).find("14 coordinates, expected 15"), std::string::npos);
  SolveOptions options = ten_steps();
  options.initial = Solution{};
  EXPECT_THROW(solver.solve(std::span(set).first(2), options), InputError);
  EXPECT_THROW(Solver({.device = "abacus"}), InputError);
}

}  // namespace
}  // namespace neuopt
