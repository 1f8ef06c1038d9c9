// What all programs of the project do: neuopt, and those it becomes where LibTorch or MPI is needed (see programs/).
#pragma once

#include <span>

#include "cli/commands.h"

namespace neuopt::cli {

/// Reads the command line and runs the subcommand it names. `commands` are in the order of the help text. Returns the
/// exit code; errors are said on standard error.
int run_program(int argc, char** argv, std::span<const AddCommand> commands);

}  // namespace neuopt::cli
