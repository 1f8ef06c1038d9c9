// Who does what in a run on several ranks. Rank 0 hands out chunks, writes lines and shows progress on its main thread;
// a second thread of it solves chunks as the other ranks do.
#pragma once

#include "cli/mpi/chunk.h"
#include "cli/mpi/run_file.h"

namespace neuopt::cli::mpi {

/// A rank's part in the run: its device and threads are its own, everything else is common to all.
struct Part {
  const RankedSet& set;
  Solver& solver;
  SolveOptions options;  // the set's, with this rank's threads
  bool gpu = false;
};

/// On rank 0: hands out the chunks and takes the answers, in the order of the set when it returns. `file` may be null.
std::vector<SolveResult> coordinate(const Part& part, RunFile* file);

/// On the other ranks: solves chunks until there are no more.
void work(const Part& part);

}  // namespace neuopt::cli::mpi
