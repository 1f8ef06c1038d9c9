// What a launcher of many processes, mpirun or srun, says in the environment about this one.
#pragma once

#include <optional>

namespace neuopt::cli {

struct Launch {
  int rank = 0;  // of this process, from 0
  int size = 1;  // processes in all
};

/// Nothing when the process was started by itself. Knows OpenMPI's mpirun, other launchers that speak PMI, and Slurm's
/// srun with PMIx. MPI itself is not asked, so that this holds before it is started, and without it.
std::optional<Launch> launch();

/// Whether this process speaks for all of its launch: what they all would say is said once.
inline bool speaks_for_launch() { return launch().value_or(Launch{}).rank == 0; }

}  // namespace neuopt::cli
