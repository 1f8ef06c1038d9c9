#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "cli/run_program.h"
#include "core/error.h"
#include "core/file.h"
#include "io/test_set.h"
#include "io/tsplib.h"
#include "problem/generate.h"
#include "support/random_model.h"
#include "support/temporary_folder.h"

namespace neuopt {
namespace {

namespace fs = std::filesystem;
using test::on_ranks;
using test::Outcome;
using test::run_program;
using test::TemporaryFolder;
using Json = nlohmann::json;

/// For a run that fails: mpirun else waits two seconds before it ends.
std::string failing_ranks(int count) { return "OMPI_MCA_odls_base_sigkill_timeout=0 " + on_ranks(count); }

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// A folder with a set, a model, and files to write.
class OnRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(NEUOPT_PROGRAM).replace_filename("neuopt-mpi"))) GTEST_SKIP() << "built without MPI";
  }

  void make_set(ProblemKind kind, int count, int size) const {
    std::vector<Instance> set;
    for (int index = 0; index < count; ++index) {
      set.push_back(generate_uniform(kind, size, 1, static_cast<std::uint64_t>(index)));
      set.back().reference_cost = 2.0;
    }
    write_test_set(path("set.npz"), set);
    policy::save_model(path("model"), test::random_model(test::small_architecture(kind)));
  }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string read(const std::string& name) const { return read_file(path(name)); }
  Outcome run(const std::string& command, const std::string& arguments, const std::string& launcher) const {
    return run_program(command + " --device cpu --model " + path("model") + " " + path("set.npz") + " " + arguments,
                       launcher);
  }
  std::string to(const std::string& name) const { return " --output " + path(name); }

  TemporaryFolder folder_;
};

TEST_F(OnRanks, SolveWritesTheSameBytesForAnyNumberOfRanks) {
  make_set(ProblemKind::tsp, 7, 15);
  ASSERT_EQ(run("solve", "--steps 20" + to("alone"), "").code, 0);
  for (const int count : {1, 2, 3}) {
    const Outcome outcome = run("solve", "--steps 20 --json" + to("shared"), on_ranks(count));
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(read("shared"), read("alone")) << count << " ranks";
    const Json summary = Json::parse(outcome.output);  // one rank speaks
    EXPECT_EQ(summary["instances"], 7);
    EXPECT_EQ(summary["interrupted"], false);
  }
  const Outcome printed = run("solve", "--steps 20 --quiet", on_ranks(2));
  EXPECT_EQ(printed.output, read("alone"));
}

TEST_F(OnRanks, RanksWithoutAnInstanceWaitForTheOthers) {
  make_set(ProblemKind::tsp, 2, 15);
  ASSERT_EQ(run("solve", "--steps 20" + to("alone"), "").code, 0);
  for (const char* end : {"--steps 20", "--steps 20 --time-limit 100"}) {
    const Outcome outcome = run("solve", end + to("shared"), on_ranks(5));
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(read("shared"), read("alone")) << end;
  }
}

TEST_F(OnRanks, EvalHasTheMeansAndLinesOfOneProcess) {
  make_set(ProblemKind::cvrp, 7, 12);
  const std::string options = "--steps 20 --curve 5,10 --json";
  const Json alone = Json::parse(run("eval", options + to("alone"), "").output);
  const Outcome outcome = run("eval", options + to("shared"), on_ranks(2));
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(read("shared"), read("alone"));
  const Json shared = Json::parse(outcome.output);
  for (const char* field : {"mean_cost", "gap_percent", "curve", "model", "model_checksum", "instances", "infeasible"})
    EXPECT_EQ(shared[field], alone[field]) << field;
}

/// The process of a rank that writes this file.
std::optional<pid_t> process_of(int rank, const std::string& output) {
  for (const auto& entry : fs::directory_iterator("/proc")) try {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      const std::string arguments = read_file(entry.path() / "cmdline");
      const std::string program = fs::read_symlink(entry.path() / "exe").filename().string();
      if (program != "neuopt-mpi" || arguments.find(output) == arguments.npos) continue;
      const std::string mark = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + '\0';
      if (read_file(entry.path() / "environ").find(mark) != std::string::npos) return std::stoi(name);
    } catch (const std::exception&) {
      continue;  // it has just ended
    }
  return std::nullopt;
}

TEST_F(OnRanks, AKilledRankEndsTheRunAndItsFileIsContinued) {
  make_set(ProblemKind::tsp, 40, 20);
  const std::string steps = "--steps 1500 --augment 1";
  ASSERT_EQ(run("solve", steps + to("whole"), "").code, 0);
  auto killed = std::async(std::launch::async, [&] { return run("solve", steps + to("lines"), on_ranks(3)); });
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < patience && (!fs::exists(path("lines")) || read("lines").empty()))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::optional<pid_t> victim = process_of(2, path("lines"));
  ASSERT_TRUE(victim);
  kill(*victim, SIGKILL);
  const Outcome outcome = killed.get();
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.errors.find("--resume continues it"), std::string::npos) << outcome.errors;
  const std::string kept = read("lines");
  ASSERT_LT(kept.size(), read("whole").size());
  EXPECT_GT(count_of(kept, "\n"), 0u);
  EXPECT_EQ(kept, read("whole").substr(0, kept.size()));

  const auto refusal = [&](const std::string& arguments) {
    const Outcome refused = run("solve", arguments + to("lines"), failing_ranks(1));
    EXPECT_EQ(refused.code, 2) << refused.errors;
    EXPECT_EQ(read("lines"), kept);
    return refused.errors;
  };
  EXPECT_NE(refusal(steps).find("did not end; continue it with --resume"), std::string::npos);
  EXPECT_NE(refusal(steps + " --resume --seed 2").find("seed was 1, now it is 2"), std::string::npos);
  EXPECT_NE(refusal(steps + " --resume --limit 39").find("set was "), std::string::npos);
  EXPECT_NE(refusal("--steps 7 --augment 1 --resume").find("steps was 1500, now it is 7"), std::string::npos);
  EXPECT_NE(refusal(steps + " --resume --by-parts no").find("by_parts was null, now it is false"), std::string::npos);

  std::ofstream(path("lines"), std::ios::app) << R"({"instance": 4)";  // cut off in the middle
  const Outcome resumed = run("solve", steps + " --resume --json" + to("lines"), on_ranks(2));
  ASSERT_EQ(resumed.code, 0) << resumed.errors;
  EXPECT_EQ(read("lines"), read("whole"));
  EXPECT_EQ(Json::parse(resumed.output)["instances"], 40);
}

TEST_F(OnRanks, LinesOfTwoRunsAreNotMixed) {
  make_set(ProblemKind::tsp, 6, 12);
  const std::string steps = "--steps 20";
  ASSERT_EQ(run("solve", steps + to("lines"), on_ranks(2)).code, 0);
  const std::string whole = read("lines"), some = whole.substr(0, whole.find('\n') + 1);
  write_file(path("lines"), some);  // as an interrupt leaves it
  write_file(path("one.tsp"), write_instance(generate_uniform(ProblemKind::tsp, 12, 1, 0)));
  for (const Outcome& alone : {run("solve", "--steps 5 --seed 9 --limit 2" + to("lines"), ""),
                               run("eval", "--steps 5 --limit 2" + to("lines"), ""),
                               run_program("solve --steps 5 " + path("one.tsp") + to("lines"))}) {
    EXPECT_EQ(alone.code, 2);
    EXPECT_NE(alone.errors.find("holds 1 of 6 lines of a run under mpirun that did not end"), std::string::npos)
        << alone.errors;
    EXPECT_EQ(read("lines"), some);
  }
  ASSERT_EQ(run("solve", steps + " --resume" + to("lines"), on_ranks(2)).code, 0);
  EXPECT_EQ(read("lines"), whole);

  // What is complete may be replaced; nothing is left then that says what it was of.
  for (const std::string command : {"solve", "eval"}) {
    ASSERT_EQ(run(command, steps + to("lines"), on_ranks(1)).code, 0);
    ASSERT_EQ(run(command, "--steps 5 --seed 9 --limit 2" + to("lines"), "").code, 0);
    const Outcome resumed = run(command, steps + " --resume" + to("lines"), failing_ranks(1));
    EXPECT_EQ(resumed.code, 2);
    EXPECT_NE(resumed.errors.find("cannot be continued without"), std::string::npos) << resumed.errors;
  }
}

TEST_F(OnRanks, RefusesWhatItCannotShareOrContinue) {
  make_set(ProblemKind::tsp, 3, 12);
  const Outcome missing = run_program("solve " + path("none.npz"), failing_ranks(3));
  EXPECT_EQ(missing.code, 2);
  EXPECT_EQ(count_of(missing.errors, "cannot open"), 1u) << missing.errors;
  write_file(path("one.tsp"), write_instance(generate_uniform(ProblemKind::tsp, 8, 1, 0)));
  EXPECT_NE(run_program("solve " + path("one.tsp"), failing_ranks(2)).errors.find("mpirun is for sets"),
            std::string::npos);
  write_file(path("foreign"), "{\"instance\": 0}\n");
  const Outcome foreign = run("solve", "--steps 5 --resume" + to("foreign"), failing_ranks(1));
  EXPECT_EQ(foreign.code, 2);
  EXPECT_NE(foreign.errors.find("cannot be continued without"), std::string::npos) << foreign.errors;
  EXPECT_EQ(read("foreign"), "{\"instance\": 0}\n");
  const Outcome device = run("solve", "--steps 5 --output /dev/full", failing_ranks(1));
  EXPECT_EQ(device.code, 2);
  EXPECT_NE(device.errors.find("/dev/full: no regular file"), std::string::npos) << device.errors;
}

TEST_F(OnRanks, ResumeNeedsMpirun) {
  make_set(ProblemKind::tsp, 3, 12);
  const Outcome outcome = run("solve", "--steps 5 --resume" + to("lines"), "");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.errors.find("mpirun"), std::string::npos) << outcome.errors;
}

TEST_F(OnRanks, TheNumberOfAGpuIsLookedUp) {
  make_set(ProblemKind::tsp, 1, 12);
  const auto errors = [&](const std::string& device, const std::string& visible) {
    return run_program("solve " + path("set.npz") + " --device " + device, "CUDA_VISIBLE_DEVICES=" + visible).errors;
  };
  EXPECT_NE(errors("cuda:2", "0,1").find("cuda:2: 2 GPUs can be seen here"), std::string::npos);
  EXPECT_NE(errors("cuda:0", "").find("0 GPUs"), std::string::npos);
  EXPECT_NE(errors("cuda:x", "0").find("cuda:N"), std::string::npos);
}

}  // namespace
}  // namespace neuopt
