// Sets under mpirun are the business of neuopt-mpi beside this program: see ranks.h.
#include "cli/launch.h"
#include "cli/other_program.h"
#include "cli/ranks.h"

namespace neuopt::cli {

Job on_ranks(Job job) {
  if (!launch()) return job;
  return []() -> int {
    become("neuopt-mpi", "to run under mpirun install OpenMPI, configure with NEUOPT_MPI=ON and build");
  };
}

void refuse_several_ranks(const std::string&) {}

const RunOnRanks run_on_ranks = nullptr;

}  // namespace neuopt::cli
