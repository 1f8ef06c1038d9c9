#include "search/model_choice.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "search_fixture.h"
#include "support/temporary_folder.h"

namespace neuopt::search {
namespace {

TEST(ModelChoice, NamesSayProblemAndSize) {
  EXPECT_EQ(parse_model_name("tsp100")->size, 100);
  EXPECT_EQ(parse_model_name("cvrp50")->problem, ProblemKind::cvrp);
  EXPECT_EQ(parse_model_name("tsp20-k6")->size, 20);
  for (const char* name : {"", "tsp", "cvrp-20", "vrp20", "tsp20x", "tsp0", "tsp99999999999"})
    EXPECT_FALSE(parse_model_name(name)) << name;
}

TEST(ModelChoice, TakesTheNearestSizeOfTheProblem) {
  const BundledModel models[] = {{"cvrp20", ""}, {"cvrp100", ""}, {"tsp50", ""}, {"readme", ""}};
  EXPECT_EQ(nearest_model(models, ProblemKind::cvrp, 25)->name, "cvrp20");
  EXPECT_EQ(nearest_model(models, ProblemKind::cvrp, 60)->name, "cvrp100");
  EXPECT_EQ(nearest_model(models, ProblemKind::cvrp, 5000)->name, "cvrp100");
  EXPECT_EQ(nearest_model(models, ProblemKind::tsp, 1000)->name, "tsp50");
  EXPECT_EQ(nearest_model({models, 2}, ProblemKind::tsp, 100), nullptr);
}

TEST(ModelChoice, WantsTheInstancesSizeUnlessInPartsOrForRoutesBesideLocalSearch) {
  const auto wanted = [](ProblemKind kind, int size, const SolveOptions& options) {
    return wanted_size(generate_uniform(kind, size, 1, 0), options);
  };
  for (const ProblemKind kind : {ProblemKind::tsp, ProblemKind::cvrp}) {
    EXPECT_EQ(wanted(kind, 170, paper_protocol()), 170);
    EXPECT_EQ(wanted(kind, 1000, paper_protocol()), 1000);
    EXPECT_EQ(wanted(kind, 170, {}), kind == ProblemKind::tsp ? 170 : 100) << "local search joins in";
    EXPECT_EQ(wanted(kind, 60, {}), 60);
    EXPECT_EQ(wanted(kind, 170, {.polish = 0}), 170);
    EXPECT_EQ(wanted(kind, 170, {.polish = 0, .by_parts = true}), 100);
    EXPECT_EQ(wanted(kind, 300, {.polish = 0}), 100) << "searched by parts";
  }
  EXPECT_EQ(wanted(ProblemKind::tsp, 190, {.polish = 0}), 190);
  EXPECT_EQ(wanted(ProblemKind::cvrp, 190, {.polish = 0}), 100) << "with its depots it is cut";
}

TEST(ModelChoice, LoadsBundledAndNamedModels) {
  const test::TemporaryFolder folder;
  policy::save_model(folder / "mine.safetensors", *test::small_model(ProblemKind::tsp));
  const std::string bytes = read_file(folder / "mine.safetensors");
  const BundledModel models[] = {{"tsp20", bytes}};
  const Instance instance = generate_uniform(ProblemKind::tsp, 20, 1, 0);
  const auto choose = [&](const std::string& request, const Instance& like) {
    return ModelShelf(request, models).choose(like.kind, like.customers());
  };
  EXPECT_EQ(choose("", instance).name, "tsp20");
  EXPECT_EQ(choose("tsp20", instance).name, "tsp20");
  EXPECT_EQ(choose(folder / "mine.safetensors", instance).name, folder / "mine.safetensors");
  EXPECT_THROW(choose("tsp30", instance), InputError);
  EXPECT_THROW(choose(folder / "none.safetensors", instance), InputError);
  EXPECT_THROW(choose("tsp20", generate_uniform(ProblemKind::cvrp, 20, 1, 0)), InputError);
  EXPECT_THROW(ModelShelf("", {}).choose(ProblemKind::tsp, 20), InputError);
}

TEST(ModelChoice, LoadsEachModelOnce) {
  const test::TemporaryFolder folder;
  policy::save_model(folder / "mine.safetensors", *test::small_model(ProblemKind::tsp));
  const std::string bytes = read_file(folder / "mine.safetensors");
  const BundledModel models[] = {{"tsp20", bytes}, {"tsp100", bytes}};
  ModelShelf shelf("", models);
  const auto of_size = [&](int size) { return shelf.choose(ProblemKind::tsp, size); };
  EXPECT_EQ(of_size(20).model, of_size(25).model);
  EXPECT_NE(of_size(20).model, of_size(90).model);
  EXPECT_EQ(of_size(90).name, "tsp100");
}

/// The notes for an instance and a model trained on 100 customers.
int notes(const Instance& instance, const SolveOptions& options = paper_protocol()) {
  policy::Model model;
  model.architecture.problem = instance.kind;
  model.trained_size = 100;
  int count = 0;
  note_distance(model, instance, options, [&](const std::string&) { ++count; });
  return count;
}

TEST(ModelChoice, NotesWhatIsFarFromTheTraining) {
  EXPECT_EQ(notes(generate_uniform(ProblemKind::tsp, 100, 1, 0)), 0);
  EXPECT_EQ(notes(generate_uniform(ProblemKind::tsp, 300, 1, 0)), 1);
  EXPECT_EQ(notes(generate_uniform(ProblemKind::tsp, 20, 1, 0)), 1);
  EXPECT_EQ(notes(generate_uniform(ProblemKind::cvrp, 100, 1, 0)), 0);
  EXPECT_EQ(notes(generate_uniform(ProblemKind::cvrp, 100, 1, 0, 500)), 1);
}

TEST(ModelChoice, PartsAreNotFarFromTheTraining) {
  EXPECT_EQ(notes(generate_uniform(ProblemKind::tsp, 300, 1, 0), {}), 0);
  EXPECT_EQ(notes(generate_uniform(ProblemKind::tsp, 20, 1, 0), {}), 1) << "as a whole";
}

TEST(ModelChoice, BundledModelsAreWhatTheirNamesSay) {
  for (const BundledModel& bundled : bundled_models()) {
    const auto name = parse_model_name(bundled.name);
    ASSERT_TRUE(name) << bundled.name;
    const policy::Model model = policy::parse_model(bundled.bytes, std::string(bundled.name));
    EXPECT_EQ(model.architecture.problem, name->problem) << bundled.name;
    EXPECT_EQ(model.trained_size, name->size) << bundled.name;
  }
}

}  // namespace
}  // namespace neuopt::search
