// What the search works on: one instance, who it is, and where its copies begin.
#pragma once

#include <cstdint>
#include <optional>
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
  local::Neighbours neighbours;           // for local search; empty where none is needed
  std::optional<std::vector<int>> start;  // of all copies; none: each draws its own when it is needed (TSP)
  std::optional<Solution> fitted;         // kept to the vehicles by the verifier's count; none where nothing had to be
  bool polished = false;                  // the start is a local optimum
  bool hurried = false;                   // it is the quickest there is: the time was over before there was any
};

}  // namespace neuopt::search
