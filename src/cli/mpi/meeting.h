// How ranks fail together. Until the work is shared out, an error is said by one of those that have it and all ranks
// end in order; afterwards it ends the launch.
#pragma once

#include <string>

#include "cli/mpi/communicator.h"

namespace neuopt::cli::mpi {

/// The communicator of the job that on_ranks runs.
const Communicator& ranks();

/// All ranks wait here for each other, so far without an error. When one has failed instead, the others end.
void meet();

/// From now on a rank that fails ends the launch.
void begin_work();

/// Says the message, with the rank in front unless it is 0, and ends the launch.
[[noreturn]] void end_launch(const std::string& message, int code);

}  // namespace neuopt::cli::mpi
