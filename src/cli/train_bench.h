// neuopt bench train. In neuopt itself it is handed over to the trainer's program.
#pragma once

#include "cli/commands.h"

namespace neuopt::cli {

/// Adds `train` to the subcommand bench.
void add_bench_train(CLI::App& bench, Job& job);

}  // namespace neuopt::cli
