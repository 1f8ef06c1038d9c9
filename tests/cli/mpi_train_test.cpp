// Training on the ranks of mpirun.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/run_program.h"
#include "core/file.h"
#include "io/safetensors.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

namespace fs = std::filesystem;
using test::on_ranks;
using test::Outcome;
using test::run_program;
using test::TemporaryFolder;

class TrainOnRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(NEUOPT_PROGRAM).replace_filename("neuopt-train-mpi"))) GTEST_SKIP() << "built without MPI";
  }

  /// Trains in the folder of that name on so many ranks, for 0 without mpirun: four batches of a few updates with a
  /// tiny network.
  Outcome run(int ranks, const std::string& name, const std::string& settings, const std::string& options) const {
    write_file(folder_ / "settings.toml",
               "size = 8\ndim = 16\nfeed_forward = 16\nlayers = 1\nsteps = 4\nchunk = 2\nepochs = 2\n"
               "batches_per_epoch = 2\nthreads = 1\ndevice = \"cpu\"\nvalidation_count = 4\nvalidation_steps = [3]\n" +
                   settings);
    return run_program("train " + (folder_ / "settings.toml") + " --run " + (folder_ / name) + " " + options,
                       ranks > 0 ? on_ranks(ranks) : "");
  }

  /// The last checkpoint of such a run.
  NamedTensors train(int ranks, const std::string& name, const std::string& settings,
                     const std::string& options = "") const {
    const Outcome outcome = run(ranks, name, settings, "--quiet " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;  // one rank speaks
    return read_safetensors((folder_ / name) + "/checkpoints/batch-000004.safetensors").tensors;
  }

  TemporaryFolder folder_;
};

TEST_F(TrainOnRanks, OneRankLearnsTheSameBits) {
  const std::string settings = "problem = \"cvrp\"\nbatch = 8\n";
  const NamedTensors alone = train(0, "alone", settings), ranks = train(1, "ranks", settings);
  ASSERT_EQ(alone.size(), ranks.size());
  for (const auto& [name, tensor] : alone) EXPECT_EQ(tensor, ranks.at(name)) << name;
}

/// Of the policy's weights.
double distance(const NamedTensors& a, const NamedTensors& b) {
  double sum = 0;
  for (const auto& [name, tensor] : a) {
    if (!name.starts_with("actor.")) continue;
    const std::vector<double> x = tensor.to_double(), y = b.at(name).to_double();
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  }
  return std::sqrt(sum);
}

/// Ranks with a part of the batch each have together its instances and random numbers, and the mean of their gradients
/// is that of the whole batch.
TEST_F(TrainOnRanks, TwoRanksWithHalfTheBatchFollowOneWithTheWhole) {
  for (const char* problem : {"problem = \"tsp\"\n", "problem = \"cvrp\"\n"}) {
    const std::string kind = std::string(problem).substr(11, 3);
    const NamedTensors whole = train(0, kind + "whole", problem + std::string("batch = 8\n"));
    const NamedTensors halves = train(2, kind + "halves", problem + std::string("batch = 4\n"));
    const NamedTensors half = train(0, kind + "half", problem + std::string("batch = 4\n"));
    EXPECT_LT(distance(whole, halves), 0.02 * distance(whole, half)) << problem;
  }
}

TEST_F(TrainOnRanks, GroupRolloutsShareTheUnitOfTheirCritic) {
  const std::string settings =
      "problem = \"tsp\"\nalgorithm = \"groups\"\ngroup = 4\nhorizon = 2\nrows = 16\nbootstrap = true\ngamma = 0.9\n";
  const NamedTensors first = train(0, "first", settings + "batch = 3\n");
  const NamedTensors both = train(2, "both", settings + "batch = 3\n");
  EXPECT_GT(first.at("value_unit").to_double().at(0), 0);
  EXPECT_NE(first.at("value_unit"), both.at("value_unit")) << "the first rank's searches are the same in both";
}

/// A sum of two has the same bits by any way; of more, by the order in which they are added up.
TEST_F(TrainOnRanks, EveryExchangeAddsUpTheSame) {
  const std::string settings = "problem = \"tsp\"\nbatch = 3\n";
  const Outcome told = run(2, "told", settings, "--exchange gloo");
  if (told.errors.find("this build has none") != std::string::npos) GTEST_SKIP() << "built without Gloo";
  EXPECT_EQ(told.code, 0);
  EXPECT_NE(told.errors.find("2 ranks learn together, gradients are added up by Gloo"), std::string::npos)
      << told.errors;
  const NamedTensors gloo = train(2, "gloo", settings, "--exchange gloo");
  const NamedTensors mpi = train(2, "mpi", settings, "--exchange mpi");
  for (const auto& [name, tensor] : gloo) EXPECT_EQ(tensor, mpi.at(name)) << name;
  const NamedTensors gloo3 = train(3, "gloo3", settings, "--exchange gloo");
  const NamedTensors mpi3 = train(3, "mpi3", settings, "--exchange mpi");
  EXPECT_LT(distance(gloo3, mpi3), 0.02 * distance(gloo3, gloo));
}

TEST_F(TrainOnRanks, WhatCannotBeExchangedIsRefusedOnce) {
  const Outcome outcome = run(2, "none", "problem = \"tsp\"\nbatch = 3\n", "--exchange nccl");
  EXPECT_EQ(outcome.code, 3);
  const std::size_t said = outcome.errors.find("neuopt: exchange nccl: ");  // not built, or no GPU for each
  EXPECT_NE(said, std::string::npos) << outcome.errors;
  EXPECT_EQ(outcome.errors.find("exchange nccl", said + 20), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace neuopt
