// What stands in for the trainer's commands in a build without LibTorch: they say what is missing.
#include "cli/commands.h"
#include "cli/train_check.h"
#include "core/error.h"

namespace neuopt::cli {
namespace {

[[noreturn]] int refuse() {
  throw ResourceError("this build has no trainer: install LibTorch and configure with NEUOPT_TRAIN=ON");
}

void add_missing(CLI::App& program, Job& job, const std::string& name) {
  CLI::App* command = program.add_subcommand(name, "(not in this build: it needs LibTorch)");
  command->allow_extras();  // whatever its options would be
  command->callback([&job] { job = refuse; });
}

}  // namespace

void add_train(CLI::App& program, Job& job) { add_missing(program, job, "train"); }

void add_train_bench(CLI::App& program, Job& job) { add_missing(program, job, "train-bench"); }

int check_training(const std::vector<std::string>&, const std::string&, bool, bool) { refuse(); }

}  // namespace neuopt::cli
