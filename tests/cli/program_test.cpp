// What holds for every subcommand: usage, help, exit codes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "cli/run_program.h"
#include "core/file.h"
#include "support/temporary_folder.h"
#include "support/text.h"

namespace neuopt {
namespace {

using test::has;
using test::run_program;

/// A launcher that sends standard output elsewhere: where is "/dev/full", "&-" (closed) or "&N", N below 10.
std::string with_output_to(const std::string& where) { return "timeout 20 sh -c 'exec \"$0\" \"$@\" >" + where + "'"; }

constexpr const char* kNoOutput[] = {"/dev/full", "&-"};

void expect_lost_output(const std::string& arguments, const std::string& where) {
  const auto outcome = run_program(arguments, with_output_to(where));
  EXPECT_EQ(outcome.code, 3) << arguments << " >" << where;
  EXPECT_TRUE(outcome.errors.starts_with("neuopt: cannot write to standard output")) << arguments << outcome.errors;
}

/// An instance and a set, and a command for each that writes --output.
struct OutputCommands {
  test::TemporaryFolder folder;
  std::string instance = folder / "x.tsp", set = folder / "set.npz";
  std::vector<std::string> commands;

  OutputCommands() {
    EXPECT_EQ(run_program("generate tsp --size 12 --output " + instance).code, 0);
    EXPECT_EQ(run_program("generate tsp --size 12 --count 2 --output " + set).code, 0);
    const std::string search = " --policy none --steps 5 --threads 1 --quiet";
    commands = {"generate tsp --size 12 --format tsp", "start " + instance,     "draw " + instance,
                "solve " + instance + search,          "solve " + set + search, "eval " + set + search};
  }
};

TEST(Program, TellsItsVersion) {
  const auto outcome = run_program("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.output.starts_with("neuopt ")) << outcome.output;
  EXPECT_EQ(outcome.errors, "");
}

/// With CLI11 alone 010 is eight, and 08 nothing.
TEST(Program, ZerosBeforeANumberAreNoOctalOnes) {
  const test::TemporaryFolder folder;
  for (const std::string size : {"010", "08", "0000000011"}) {
    const std::string file = folder / "x.tsp";
    ASSERT_EQ(run_program("generate tsp --size " + size + " --seed 09 --output " + file).code, 0) << size;
    const std::string number = size.substr(size.find_first_not_of('0'));
    EXPECT_TRUE(has(read_file(file), "DIMENSION: " + number + "\n")) << size << "\n" << read_file(file);
  }
  EXPECT_EQ(run_program("generate tsp --size 0x10 --output " + (folder / "x.tsp")).code, 2);
}

TEST(Program, WhatExcludesEachOtherIsRefused) {
  EXPECT_EQ(run_program("check x.npz --train --backend cuda").code, 2);
  EXPECT_EQ(run_program("check x.npz --train --threads 2").code, 2);
  EXPECT_EQ(run_program("bench --model cvrp20 --problem tsp --size 20").code, 2);
}

TEST(Program, Helps) {
  for (const char* arguments : {"--help", "generate --help", "start --help", "verify --help", "draw --help"}) {
    const auto outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments;
    EXPECT_NE(outcome.output.find("Usage: neuopt"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.errors, "");
  }
}

TEST(Program, BadUsageIsExitCode2) {
  for (const char* arguments : {"", "frobnicate", "generate", "generate tsp", "generate tsp --size x --output y",
                                "generate tsp --size 0 --output y", "generate vrptx --size 5 --output y", "verify",
                                "verify one", "verify one two three", "draw one", "--frobnicate"}) {
    const auto outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.output, "") << arguments;
    EXPECT_TRUE(outcome.errors.starts_with("neuopt: ")) << arguments << ": " << outcome.errors;
  }
}

TEST(Program, SuggestsTheNearestSubcommand) {
  EXPECT_NE(run_program("slove x.tsp").errors.find("no subcommand 'slove', did you mean 'solve'?"), std::string::npos);
  EXPECT_NE(run_program("plot trajectry x").errors.find("did you mean 'trajectory'?"), std::string::npos);
  EXPECT_EQ(run_program("help").errors, "neuopt: there is no subcommand 'help'; 'neuopt --help' lists them all\n");
  EXPECT_NE(run_program("--frobnicate").errors.find("no option '--frobnicate'"), std::string::npos);
  EXPECT_NE(run_program("bench nosie").errors.find("or subcommand is called 'nosie'"), std::string::npos);
  EXPECT_NE(run_program("plot").errors.find("Usage: neuopt plot"), std::string::npos);
  for (const std::string bare : {"", "plot"}) {
    const auto outcome = run_program(bare);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.errors.find("Subcommands:"), std::string::npos) << outcome.errors;
  }
}

TEST(Program, PrecisionsHaveOneVocabulary) {
  for (const char* name : {"fp32", "single"}) {
    const auto outcome = run_program(fmt::format("eval x.npz --precision {}", name));
    EXPECT_NE(outcome.errors.find("x.npz: cannot open"), std::string::npos) << outcome.errors;
  }
  const auto outcome = run_program("eval x.npz --precision half");
  EXPECT_NE(outcome.errors.find("fp64,fp32,tf32,bf16,fp16"), std::string::npos) << outcome.errors;
}

TEST(Program, NumbersAreFiniteAndInRange) {
  struct Case {
    const char *command, *option;
    std::vector<const char*> wrong;
  };
  const Case cases[] = {
      {"solve x.tsp", "--time-limit", {"nan", "inf", "0", "-1", "1e8", "1e400", "soon"}},
      {"solve x.tsp", "--reference", {"nan", "inf", "0", "-5"}},
      {"solve x.tsp", "--target", {"nan", "-inf"}},
      {"solve x.tsp", "--steps", {"nan", "-1", "1e3", "1.5", "99999999999999999999"}},
      {"solve x.tsp", "--polish", {"-1", "nan", "3000000000"}},
      {"solve x.tsp", "--limit", {"0", "-1"}},
      {"solve x.tsp", "--seed", {"' 5'", "-1", "nan", "0x10", "99999999999999999999999"}},
      {"solve x.tsp",
       "--memory-limit",
       {"' 5'", "0", "-1", "nan", "inf", "1e400", "0x10", "9999999999T", "5i", "M", "5,5"}},
      {"start x.tsp --output x.tour", "--seed", {"' 5'", "-1"}},
      {"generate tsp --size 5 --output x.npz", "--seed", {"' 5'", "-1"}},
      {"generate tsp --size 5 --output x.npz", "--memory-limit", {"0", "99999999999999999999999"}},
      {"eval x.npz", "--reference", {"nan", "0"}},
      {"eval x.npz", "--curve", {"-1", "10,nan"}},
      {"verify x.tsp x.tour", "--reference", {"nan", "0", "-5"}},
      {"generate cvrp --size 5 --output x.npz", "--capacity", {"nan", "inf", "0"}},
      {"bench", "--seconds", {"nan", "0"}},
      {"import x.pt --output x.safetensors", "--k", {"1", "65"}},
      {"plot trajectory x.jsonl --output x.svg", "--first", {"0", "nan"}},
  };
  for (const auto& [command, option, wrong] : cases)
    for (const char* value : wrong) {
      const auto outcome = run_program(fmt::format("{} {}={}", command, option, value), "timeout 20");
      EXPECT_EQ(outcome.code, 2) << command << ' ' << option << ' ' << value;
      EXPECT_TRUE(outcome.errors.starts_with(fmt::format("neuopt: {}: expected a ", option))) << outcome.errors;
      EXPECT_LT(outcome.errors.size(), 120u) << outcome.errors;
    }
}

TEST(Program, TrainingTimeIsFinite) {
  if (!std::filesystem::exists(NEUOPT_PROGRAM "-train")) GTEST_SKIP() << "built without the trainer";
  for (const char* minutes : {"nan", "inf", "0"}) {
    const auto outcome = run_program(fmt::format("train x.toml --minutes={}", minutes));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(outcome.errors.starts_with("neuopt: --minutes: expected a number above 0")) << outcome.errors;
  }
}

TEST(Program, TheTrainerNamesTheDevicesItHas) {
  if (!std::filesystem::exists(NEUOPT_PROGRAM "-train")) GTEST_SKIP() << "built without the trainer";
  for (const char* device : {"foo", "reference"}) {
    const auto outcome = run_program(fmt::format("train x.toml --device {}", device));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.errors.find(fmt::format("{} not in {{auto,cpu,cuda,cuda:N}}", device)), std::string::npos)
        << outcome.errors;
  }
}

TEST(Program, ThreadsOfTheTrainerSleepWhileTheyWait) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  fs::copy_file(NEUOPT_PROGRAM, folder / "neuopt");
  write_file(folder / "neuopt-train", "#!/bin/sh\necho \"policy $OMP_WAIT_POLICY\"\n");
  fs::permissions(folder / "neuopt-train", fs::perms::owner_all);
  const auto said = [&](const std::string& environment) {
    const std::string clean = "env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT -u KMP_BLOCKTIME ";
    const std::string output = folder / "output";
    EXPECT_EQ(std::system((clean + environment + " " + (folder / "neuopt") + " train x.toml >" + output).c_str()), 0);
    return read_file(output);
  };
  EXPECT_EQ(said(""), "policy passive\n");
  EXPECT_EQ(said("OMP_WAIT_POLICY=active"), "policy active\n");
  EXPECT_EQ(said("GOMP_SPINCOUNT=100"), "policy \n");
}

TEST(Program, OutputsHaveNames) {
  for (const std::string arguments :
       {"solve x.tsp --output ''", "solve x.tsp --svg ''", "solve x.tsp --trace ''", "eval x.npz --output ''",
        "start x.tsp --output ''", "import x.pt --output -", "import x.pt --output ''"}) {
    const auto outcome = run_program(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.errors.find("expected the name of a file"), std::string::npos) << outcome.errors;
  }
}

/// From a variable of the shell that is not set: nothing must not pass as not given.
TEST(Program, ModelsAndRunsHaveNames) {
  std::vector<std::string> commands = {"solve x.tsp --model ''", "eval x.npz --model ''", "view --model ''",
                                       "bench --model ''"};
  if (std::filesystem::exists(NEUOPT_PROGRAM "-train"))
    commands.insert(commands.end(),
                    {"train x.toml --run ''", "train x.toml --resume ''", "bench noise x.toml --model ''"});
  for (const std::string& command : commands) {
    const auto outcome = run_program(command, "timeout 20");
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_TRUE(has(outcome.errors, "expected a name, got ''")) << command << outcome.errors;
  }
}

TEST(Program, HelpThatCannotBePrintedIsExitCode3) {
  for (const char* where : kNoOutput)
    for (const char* arguments : {"--help", "--version", "bench --help", "solve --help"})
      expect_lost_output(arguments, where);
}

TEST(Program, OutputThatCannotBePrintedIsExitCode3) {
  const OutputCommands files;
  for (const std::string& command : files.commands)
    for (const char* where : kNoOutput) expect_lost_output(command + " --output -", where);
}

TEST(Program, ClosedStandardOutputIsSeenBeforeTheSearch) {
  const OutputCommands files;
  for (const std::string& file : {files.instance, files.set})
    for (const std::string output : {"-", "/dev/stdout"})
      expect_lost_output("solve " + file + " --policy none --steps 1000000000 --output " + output, "&-");
}

TEST(Program, StandardOutputMayBeASocket) {
  const OutputCommands files;
  for (const std::string& command : files.commands)
    for (const std::string output : {"-", "/dev/stdout"}) {
      const std::string arguments = command + " --output " + output;
      int ends[2];
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
      ASSERT_LT(ends[1], 10) << "shells know descriptors of one digit";
      const auto outcome = run_program(arguments, with_output_to("&" + std::to_string(ends[1])));
      close(ends[1]);
      std::string received(std::size_t{1} << 16, '\0');
      const ssize_t count = recv(ends[0], received.data(), received.size(), MSG_WAITALL);
      close(ends[0]);
      EXPECT_EQ(outcome.code, 0) << arguments << outcome.errors;
      EXPECT_GT(count, 0) << arguments;
    }
}

TEST(Program, AViewerWhoseUrlIsLostDoesNotServe) {
  if (run_program("view --port 1", "timeout 1").errors.find("no viewer") != std::string::npos)
    GTEST_SKIP() << "built without the viewer";
  for (const char* where : kNoOutput) expect_lost_output("view", where);
}

TEST(Program, NamesAMissingFile) {
  const auto outcome = run_program("verify no-such-file.vrp no-such-file.sol");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.errors.find("no-such-file.vrp: cannot open"), std::string::npos) << outcome.errors;
}

TEST(Program, AModelThatIsNoneIsNotViewed) {
  const auto outcome = run_program("view --model no-such-model", "timeout 10");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_NE(outcome.errors.find("no-such-model"), std::string::npos) << outcome.errors;
}

TEST(Program, UnwritableOutputIsExitCode3) {
  const auto outcome = run_program("generate tsp --size 5 --output no-such-folder/x.npz");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.errors.find("no-such-folder/x.npz: cannot write"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace neuopt
