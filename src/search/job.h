// What the search works on: one instance, who it is, and where its copies begin.
#pragma once

#include <cstdint>
#include <vector>

#include "local/neighbours.h"
#include "problem/normalize.h"
#include "search/model_choice.h"
#include "search/solve.h"

namespace neuopt::search {

struct Job {
  const Instance* instance = nullptr;
  std::uint32_t id = 0;    // of its random numbers: the index in the set, 0 for an instance of its own
  ChosenModel model = {};  // none for a tiny instance (search/exact.h)
  StartKind start = StartKind::automatic;
  const Solution* initial = nullptr;  // instead of `start`
};

/// A job made ready: the search's view of its instance, and what start_of (search/starts.h) makes starts of.
struct PreparedJob {
  const Job* job = nullptr;
  SearchInstance view;
  local::Neighbours neighbours;  // for local search; empty where none is needed
  /// One tour for all copies; none: each copy draws its own when it is needed (TSP).
  std::vector<std::vector<int>> starts;
  bool polished = false;  // the starts are local optima
  bool hurried = false;   // they are the quickest there are: the time was over before there were any
};

}  // namespace neuopt::search
