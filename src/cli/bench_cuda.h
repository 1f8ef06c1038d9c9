// neuopt bench cuda and bench polish, for builds with CUDA.
#pragma once

#include "cli/commands.h"

namespace neuopt::cli {

/// Adds the mode `cuda` to the subcommand bench.
void add_bench_cuda(CLI::App& bench, Job& job);

/// Adds the mode `polish` to the subcommand bench.
void add_bench_polish(CLI::App& bench, Job& job);

}  // namespace neuopt::cli
