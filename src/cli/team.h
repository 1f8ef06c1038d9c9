// Training alone or on the ranks of mpirun: each of the trainer's programs has its own train_together.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "train/team.h"

namespace neuopt::cli {

using TeamJob = std::function<int(std::shared_ptr<train::Team>)>;

/// Runs the job in a team of one; under mpirun between MPI's start and end, with a GPU and a share of the cores for
/// each rank. Ranks add up gradients through `exchange`, see mpi/exchange.h. A rank that fails ends the launch; what
/// all would say the first one says.
int train_together(const std::string& exchange, const TeamJob& job);

}  // namespace neuopt::cli
