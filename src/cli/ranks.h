// Sets shared out among the processes of an MPI launch. MPI is in a program of its own, neuopt-mpi: neuopt becomes it
// when it was started by mpirun, and else neither links nor starts MPI.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/set_run.h"

namespace neuopt::cli {

/// The job as it is when this process stands alone. In neuopt under mpirun, a job that becomes neuopt-mpi; there, the
/// job between MPI's start and end, with errors that several ranks have said by one of them.
Job on_ranks(Job job);

/// Throws InputError when the job is one that cannot be shared and there are several ranks. Does nothing in a program
/// that stands alone.
void refuse_several_ranks(const std::string& path);

/// A set to be solved together; the same on every rank.
struct RankedSet {
  std::string command;             // of the program: "solve" or "eval"
  std::vector<std::string> paths;  // of the set
  std::vector<Instance> instances;
  const CommonOptions& common;
  SolveOptions options;
  std::optional<double> time_limit;                                      // as asked for
  std::string output;                                                    // a file of lines
  bool resume = false;                                                   // continue that file
  bool print_lines = false;                                              // where there is no file
  std::function<std::string(const Instance&, const SolveResult&)> line;  // of a result, without times
};

/// Solves the set. Rank 0 writes the line of each instance in the order of the set, as soon as all before it are there,
/// and has the results, without their solutions; nothing on the others. An interrupt, or an error from here on, ends
/// the whole launch; the lines written stay. Null in a program that stands alone.
using RunOnRanks = std::optional<SetRun> (*)(RankedSet set);
extern const RunOnRanks run_on_ranks;

}  // namespace neuopt::cli
