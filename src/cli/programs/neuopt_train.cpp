// neuopt-train and, linked with other answers to team.h, neuopt-train-mpi: what neuopt becomes to train.
#include <CLI/CLI.hpp>

#include "cli/program.h"
#include "cli/train_bench.h"

namespace {

void add_training_bench(CLI::App& program, neuopt::cli::Job& job) {
  CLI::App* command = program.add_subcommand("bench", "Measures training");
  command->require_subcommand(1);
  neuopt::cli::add_trainer_benches(*command, job);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace neuopt::cli;
  constexpr AddCommand commands[] = {add_train, add_training_bench, add_check};
  return run_program(argc, argv, commands);
}
