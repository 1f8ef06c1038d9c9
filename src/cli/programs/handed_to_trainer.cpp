// The trainer is a program of its own, neuopt-train beside this one: neuopt itself then starts at once and runs where
// LibTorch is not installed. Its commands are handed over as they were given.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/other_program.h"
#include "cli/train_bench.h"
#include "cli/train_check.h"

namespace neuopt::cli {
namespace {

/// LibTorch's threads wait for one another many times in a step. By default they wait busily, and where others want the
/// cores as well, the one that is waited for is not running: steps take many times as long. Asleep they cost an idle
/// machine little. The OpenMP library reads this when it is loaded, so it is said before the trainer starts; what the
/// user says goes first.
void let_threads_sleep() {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (std::getenv(name) != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 0);
}

[[noreturn]] int become_trainer() {
  let_threads_sleep();
  become("neuopt-train", "install LibTorch, configure with NEUOPT_TRAIN=ON and build");
}

[[noreturn]] int become_team() {
  let_threads_sleep();
  become("neuopt-train-mpi",
         "to train under mpirun install LibTorch and OpenMPI, configure with NEUOPT_TRAIN=ON and "
         "NEUOPT_MPI=ON and build");
}

void add_handed_over(CLI::App& program, Job& job, const std::string& name, const std::string& description,
                     Job become_it = become_trainer) {
  CLI::App* command = program.add_subcommand(name, description);
  command->set_help_flag();  // the trainer's own help is the one to show
  command->prefix_command();
  command->callback([&job, become_it] { job = become_it; });
}

}  // namespace

void add_train(CLI::App& program, Job& job) {
  add_handed_over(program, job, "train", "Learn a policy", launch() ? become_team : become_trainer);
}

void add_trainer_benches(CLI::App& bench, Job& job) {
  add_handed_over(bench, job, "train", kBenchTrainHelp);
  add_handed_over(bench, job, "noise", kBenchNoiseHelp);
}

CheckSubject trainer_subject(const std::string&, bool, const std::string&) { become_trainer(); }

}  // namespace neuopt::cli
