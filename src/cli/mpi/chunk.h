// The set in chunks: which one is next, solving one, and its results on their way to rank 0.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ranks.h"

namespace neuopt::cli::mpi {

struct Chunk {
  int first = 0;  // place in the set
  int count = 0;  // instances; 0: there is no more
};

/// Hands out a set from a place to its end. A chunk has as many instances as keep the device busy, and no more: lines
/// shall appear early. Towards the end chunks become smaller, so that all ranks end together. With a limit of time a
/// rank has its whole share at once, since the limit is for all of it.
class Schedule {
 public:
  Schedule(const RankedSet& set, const SolveOptions& options, int first, int ranks, bool gpu);

  Chunk next();

 private:
  int next_, end_, ranks_;
  int least_, largest_;  // instances of a chunk
  bool whole_shares_;    // one chunk for each rank
};

/// What rank 0 gets to know about an instance.
struct Answer {
  SolveResult result;  // without the solution
  std::string line;
};

/// Solves the chunk. Fewer answers than instances when `stop` ended it: those whose search was complete. `rate` is told
/// the steps of all copies in a second, some ten times in each.
std::vector<Answer> solve_chunk(const RankedSet& set, Solver& solver, const SolveOptions& options, Chunk chunk,
                                const std::atomic<bool>* stop, const std::function<void(double)>& rate,
                                const WarningSink& note);

// Messages.
std::string pack(const std::vector<Answer>& answers);
std::vector<Answer> unpack_answers(std::string_view bytes);
std::string pack(Chunk chunk);
Chunk unpack_chunk(std::string_view bytes);

}  // namespace neuopt::cli::mpi
