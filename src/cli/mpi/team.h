// Training on the ranks of mpirun.
#pragma once

#include <functional>
#include <memory>

#include "train/team.h"

namespace neuopt::cli::mpi {

/// Runs the job between MPI's start and end, with a GPU and a share of the cores for each rank. They add up
/// gradients through `exchange`, see exchange.h. A rank that fails ends the launch; what all would say the first one
/// says.
int train_together(const std::string& exchange, const std::function<int(std::shared_ptr<train::Team>)>& job);

}  // namespace neuopt::cli::mpi
