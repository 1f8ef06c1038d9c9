// The trainer is a program of its own, neuopt-train beside this one: neuopt itself then starts at once and runs where
// LibTorch is not installed. Its commands are handed over as they were given.
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/train_bench.h"
#include "cli/train_check.h"
#include "core/error.h"
#include "core/file.h"

namespace neuopt::cli {
namespace {

/// The words of this process's command line.
std::vector<std::string> own_arguments() {
  const std::string line = read_file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size(); at += words.back().size() + 1) words.emplace_back(line.c_str() + at);
  return words;
}

/// Becomes neuopt-train. Returns only by throwing.
[[noreturn]] int become_trainer() {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("neuopt-train");
  std::vector<std::string> words = own_arguments();
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  if (errno == ENOENT)
    throw ResourceError("there is no trainer (" + program +
                        "): install LibTorch, configure with NEUOPT_TRAIN=ON and build");
  throw ResourceError(program + ": cannot be started");
}

void add_handed_over(CLI::App& program, Job& job, const std::string& name, const std::string& description) {
  CLI::App* command = program.add_subcommand(name, description);
  command->set_help_flag();  // the trainer's own help is the one to show
  command->prefix_command();
  command->callback([&job] { job = become_trainer; });
}

}  // namespace

void add_train(CLI::App& program, Job& job) { add_handed_over(program, job, "train", "Learn a policy"); }

void add_bench_train(CLI::App& bench, Job& job) {
  add_handed_over(bench, job, "train", "Training: milliseconds for each search step, and where they go");
}

CheckSubject trainer_subject(const std::string&, bool, const std::string&) { become_trainer(); }

}  // namespace neuopt::cli
