// scripts/mean_of_models.py and scripts/tune_prospects.py.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_program.h"
#include "core/file.h"
#include "policy/model.h"
#include "problem/problem_kind.h"
#include "support/random_model.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

using test::run_program;
using test::TemporaryFolder;

const std::string kScripts = "python3 " NEUOPT_TEST_DATA "/../../scripts/";
const std::string kMean = kScripts + "mean_of_models.py ";
const std::string kTune = kScripts + "tune_prospects.py ";

/// The exit code of a command, whose complaints are not shown.
int code_of(const std::string& command) { return WEXITSTATUS(std::system((command + " 2>/dev/null").c_str())); }

TEST(MeanOfModels, IsAModelWithTheMeansOfTheirWeights) {
  const TemporaryFolder folder;
  std::vector<policy::Model> models;
  for (const std::uint64_t seed : {1, 2}) {
    models.push_back(test::random_model(test::small_architecture(ProblemKind::cvrp), seed));
    policy::save_model(folder / ("model" + std::to_string(seed)), models.back());
  }
  const std::string both = (folder / "model1") + " " + (folder / "model2");
  ASSERT_EQ(code_of(kMean + (folder / "mean") + " " + both), 0);
  const policy::Model mean = policy::load_model(folder / "mean");
  for (const policy::TensorSpec& spec : mean.weights.specs())
    for (std::size_t i = 0; i < mean.weights[spec.name].size(); ++i)
      EXPECT_FLOAT_EQ(mean.weights[spec.name][i],
                      (models[0].weights[spec.name][i] + models[1].weights[spec.name][i]) / 2);
  policy::save_model(folder / "other", test::random_model(test::small_architecture(ProblemKind::tsp)));
  EXPECT_EQ(code_of(kMean + (folder / "mean") + " " + both + " " + (folder / "other")), 2);
  EXPECT_EQ(code_of(kMean + (folder / "mean") + " " + (folder / "none") + " " + both), 2);
}

TEST(MeanOfModels, RefusesDamagedModelsAndOverwritesNone) {
  const TemporaryFolder folder;
  policy::save_model(folder / "model", test::random_model(test::small_architecture(ProblemKind::tsp)));
  const std::string content = read_file(folder / "model");
  std::string damaged = content;
  damaged[content.size() - 9] = static_cast<char>(damaged[content.size() - 9] ^ 1);
  write_file(folder / "damaged", damaged);
  write_file(folder / "cut", content.substr(0, content.size() - 100));
  for (const char* bad : {"damaged", "cut"})
    EXPECT_EQ(code_of(kMean + (folder / "mean") + " " + (folder / "model") + " " + (folder / bad)), 2) << bad;
  EXPECT_FALSE(std::filesystem::exists(folder / "mean"));
  EXPECT_EQ(code_of(kMean + (folder / "model") + " --logit-bound 8 " + (folder / "model")), 2);
  EXPECT_EQ(read_file(folder / "model"), content);
  EXPECT_EQ(code_of(kMean + "/no-such-folder/mean --logit-bound 8 " + (folder / "model")), 3);
}

TEST(MeanOfModels, KnowsHowNetworksAreRun) {
  const TemporaryFolder folder;
  const std::string script = kMean + (folder / "mean") + " ";
  policy::Architecture architecture = test::small_architecture(ProblemKind::tsp);
  policy::save_model(folder / "model", test::random_model(architecture));
  architecture.max_moves += 1;
  policy::save_model(folder / "larger_k", test::random_model(architecture));
  EXPECT_EQ(code_of(script + (folder / "model") + " " + (folder / "larger_k")), 2);
  EXPECT_EQ(code_of(script + "--logit-bound 21 " + (folder / "model")), 2);
  EXPECT_EQ(code_of(script + (folder / "model")), 2) << "one is no mean";
  ASSERT_EQ(code_of(script + "--logit-bound 8 " + (folder / "model")), 0);
  EXPECT_EQ(policy::load_model(folder / "mean").architecture.logit_bound, 8);
  EXPECT_EQ(policy::load_model(folder / "model").architecture.logit_bound, 6);
  EXPECT_EQ(code_of(script + "--foresight 3 " + (folder / "model")), 2) << "it is told nothing";
  architecture.prospects = true;
  policy::save_model(folder / "told", test::random_model(architecture));
  EXPECT_EQ(code_of(script + "--foresight 4 " + (folder / "told")), 2);
  ASSERT_EQ(code_of(script + "--foresight 3 " + (folder / "told")), 0);
  EXPECT_EQ(policy::load_model(folder / "mean").architecture.foresight, 3);
}

/// A network that is told what choices lead to and makes nothing of it.
policy::Model deaf_model(ProblemKind problem) {
  policy::Architecture architecture = test::small_architecture(problem);
  architecture.prospects = true;
  policy::Model model = test::random_model(architecture);
  model.trained_size = 10;
  for (float& weight : model.weights["decoder.prospects"]) weight = 0;
  return model;
}

class TuneProspects : public testing::Test {
 protected:
  /// The exit code of tuning `model` into `tuned`.
  int tune(const std::string& options, const std::string& model = "deaf", const std::string& tuned = "tuned",
           const std::string& program = NEUOPT_PROGRAM) const {
    return code_of(kTune + (folder_ / tuned) + " " + (folder_ / model) + " --program " + program + " " + options +
                   " > " + (folder_ / "rounds"));
  }

  double cost_of(const std::string& model) const {
    const auto outcome =
        run_program("eval " + (folder_ / "set.npz") + " --steps 15 --json --model " + (folder_ / model));
    return nlohmann::json::parse(outcome.output)["mean_cost"];
  }

  TemporaryFolder folder_;
};

TEST_F(TuneProspects, MakesNetworksListen) {
  for (const char* problem : {"tsp", "cvrp"}) {
    policy::save_model(folder_ / "deaf", deaf_model(*parse_problem(problem)));
    ASSERT_EQ(tune("--device cpu --instances 20 --steps 15 --rounds 1 --step 0.5 --workers 2"), 0) << problem;
    const auto round = nlohmann::json::parse(read_file(folder_ / "rounds"));
    EXPECT_EQ(round["round"], 1);
    EXPECT_GT(round["length"], 0) << "listening pays at once";
    const std::string generate = "generate " + std::string(problem) + " --size 10 --count 50 --seed 5 --output ";
    ASSERT_EQ(run_program(generate + (folder_ / "set.npz")).code, 0);
    EXPECT_LT(cost_of("tuned"), 0.97 * cost_of("deaf")) << problem;
  }
}

TEST_F(TuneProspects, RefusesWhatItCannotTune) {
  policy::save_model(folder_ / "deaf", deaf_model(ProblemKind::tsp));
  policy::save_model(folder_ / "untold", test::random_model(test::small_architecture(ProblemKind::tsp)));
  const std::string content = read_file(folder_ / "deaf");
  EXPECT_EQ(tune("", "untold"), 2);
  EXPECT_EQ(tune("", "deaf", "deaf"), 2);
  EXPECT_EQ(read_file(folder_ / "deaf"), content);
  for (const char* options : {"--runs 100", "--step 0", "--searches 1", "--minutes nan", "--seed -3"})
    EXPECT_EQ(tune(options), 2) << options;
  EXPECT_EQ(tune("", "deaf", "tuned", "/no/neuopt"), 2);
  EXPECT_EQ(tune("", "deaf", "tuned", "/tmp"), 2) << "a folder is no program";
  EXPECT_EQ(tune("", "deaf", "no-folder/tuned"), 2) << "before the first search";
  EXPECT_EQ(tune("--device abacus"), 3) << "the search says what is wrong";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tuned"));
}

}  // namespace
}  // namespace neuopt
