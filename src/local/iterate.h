// The search without a network: local search, a random kick, local search on what the kick touched, and the result is
// kept or taken back as simulated annealing has it. The plain search that a learned one is judged against.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "core/philox.h"
#include "local/local_search.h"

namespace neuopt::local {

/// Where an iterated search stands.
struct IterateProgress {
  std::int64_t iterations = 0;  // kicks so far
  double best_cost = 0;         // infinite before the first feasible solution
};

struct IterateOptions {
  Random random{0};
  std::uint32_t instance_id = 0, copy_id = 0;  // keys of the random numbers
  LocalRules rules;
  bool polish_start = true;  // false: the start is a local optimum already
  std::int64_t most_iterations = std::numeric_limits<std::int64_t>::max();
  /// In multiples of the mean cost of a customer at the start, with the penalties of an infeasible one; 0: what suits
  /// the problem.
  double first_temperature = 0, last_temperature = 0;
  /// Asked now and then, in the local search of the start, too: the share of the search that is done, which cools it;
  /// from 1 on it ends. The answer depends on the clock only as far as this function does.
  std::function<double(const IterateProgress&)> share_done;
};

struct Iterated {
  std::vector<int> order;  // the best tour, as the search wants it
  double cost = 0;         // in the search's units; infinite when no solution was feasible
  std::int64_t iterations = 0;
};

/// Begins from a tour, feasible or not.
Iterated iterate(const SearchInstance& instance, const Neighbours& neighbours, std::vector<int> start,
                 const IterateOptions& options);

}  // namespace neuopt::local
