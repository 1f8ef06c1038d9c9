// One search: its state, its start and its step, once for the CPU, the GPU and the trainer. A step
//
//   1. applies an action to the tour,
//   2. walks the tour: route values and violation,
//   3. records the cost and keeps a new best tour,
//   4. counts the stall and draws a new augmentation when one is due (D2A).
#pragma once

#include <cassert>
#include <cstdint>

#include "core/lanes.h"
#include "core/philox.h"
#include "env/augment.h"
#include "env/stall.h"
#include "env/status.h"

namespace neuopt::env {

/// Everything that a search carries from step to step besides its arrays.
struct SearchState {
  SearchStatus status;
  Augmentation augmentation;           // what the network sees
  std::uint32_t instance_id, copy_id;  // keys of the random numbers
  std::uint32_t augmentations;         // drawn so far
  std::int32_t stalled;                // steps since the last new best or augmentation
  std::int32_t feasible_steps;         // solutions visited that were feasible, the start not among them
};

/// How the searches of a batch run.
struct SearchRules {
  GireParameters gire;
  std::uint64_t seed;
  int stall_limit;     // T_D2A; 0: never a new augmentation
  bool augment_start;  // begin from a random augmentation
};

/// The arrays of searches with equal numbers of nodes, in the memory of host or device.
struct SearchBatch {
  int copies, nodes;  // B, N
  SearchRules rules;
  const InstanceView* instances;  // (B)
  SearchState* states;            // (B)
  std::int32_t* order;            // (B, N) node at each position
  std::int32_t* position;         // (B, N) position of each node
  std::int32_t* best_order;       // (B, N)
  std::int32_t* scratch;          // (B, N)
  void* routes;                   // (B, N) of the problem's Route; null when that is empty
};

/// One search of a batch.
template <class Problem>
struct Search {
  using Route = typename Problem::Route;

  InstanceView instance;
  kopt::TourView tour;
  Route* routes;             // (N)
  std::int32_t* best_order;  // (N)
  std::int32_t* scratch;     // (N)
};

template <class Problem>
NEUOPT_HD Search<Problem> search_at(const SearchBatch& batch, long row) {
  using Route = typename Problem::Route;
  const long at = row * batch.nodes;
  Route* routes = nullptr;
  if constexpr (kStoredBytes < Route >> 0) routes = static_cast<Route*>(batch.routes) + at;
  return {.instance = batch.instances[row],
          .tour = {batch.nodes, batch.order + at, batch.position + at},
          .routes = routes,
          .best_order = batch.best_order + at,
          .scratch = batch.scratch + at};
}

/// The random number in [0, 1) for choice k (0: the S-move) of the step to come.
NEUOPT_HD float choice_number(const SearchRules& rules, const SearchState& state, int k) {
  const Philox4 words =
      Random{rules.seed}.words(Draw::decode, state.instance_id, state.copy_id,
                               static_cast<std::uint32_t>(state.status.history.steps), static_cast<std::uint32_t>(k));
  return uniform_float(words.word[0]);
}

NEUOPT_HD void augment_anew(const SearchRules& rules, SearchState& state) {
  const Philox4 words =
      Random{rules.seed}.words(Draw::augment, state.instance_id, state.copy_id, state.augmentations++, 0);
  state.augmentation = draw_augmentation(words);
}

template <class Problem, class Lanes>
NEUOPT_HD void keep_as_best(Lanes lanes, const Search<Problem>& search) {
  for (int p = lanes.first(); p < search.tour.nodes; p += lanes.stride()) search.best_order[p] = search.tour.order[p];
}

// In what follows all lanes call with the same arguments, each with a state of its own, which end up the same.

/// Begins a search from the tour in `order`; of the state only the identity is read.
template <class Problem, class Lanes>
NEUOPT_HD void start_search(Lanes lanes, const SearchRules& rules, const Search<Problem>& search, SearchState& state) {
  for (int p = lanes.first(); p < search.tour.nodes; p += lanes.stride())
    search.tour.position[search.tour.order[p]] = p;
  keep_as_best(lanes, search);
  lanes.sync();
  const float violation = Problem::walk(lanes, search.instance, search.tour, search.routes);
  state.status = start_status(tour_cost(search.instance, search.tour), violation);
  state.augmentation = Augmentation{};
  state.augmentations = 0;
  state.stalled = 0;
  state.feasible_steps = 0;
  if (rules.augment_start) augment_anew(rules, state);
}

/// Debug builds on the host check that the cost after a move is the cost before plus its delta.
#if !defined(NDEBUG) && !defined(__CUDA_ARCH__)
inline constexpr bool kCheckDelta = true;
#else
inline constexpr bool kCheckDelta = false;
#endif

struct StepResult {
  Reward reward;
  bool augmented;  // a new augmentation was drawn
};

/// `mean_improvement` (E[r]) scales one of the rewards; a search that does not learn passes 0.
template <class Problem, class Lanes>
NEUOPT_HD StepResult take_step(Lanes lanes, const SearchRules& rules, const Search<Problem>& search,
                               const kopt::Action& action, float mean_improvement, SearchState& state) {
  const InstanceView& instance = search.instance;
  const double best_before = state.status.best_cost;
  const double delta = exchange_delta(instance, search.tour, action);
  [[maybe_unused]] const double cost_before = kCheckDelta ? tour_cost(instance, search.tour) : 0;
  lanes.sync();
  kopt::apply_exchange(lanes, search.tour, action, search.scratch);  // step 1
  assert(!kCheckDelta || fabs(tour_cost(instance, search.tour) - (cost_before + delta)) <= 1e-9 * (1 + cost_before));

  const float violation = Problem::walk(lanes, instance, search.tour, search.routes);  // step 2

  SearchStatus& status = state.status;  // step 3
  status.previous_anchor = action.anchor;
  StepResult result{
      record_solution<Problem>(status.cost + delta, violation, instance.epsilon, rules.gire, mean_improvement, status),
      false};
  state.feasible_steps += is_feasible(status) ? 1 : 0;
  if (status.best_cost < best_before) keep_as_best(lanes, search);

  result.augmented = count_stall(best_before, status.best_cost, rules.stall_limit, state.stalled);  // step 4
  if (result.augmented) augment_anew(rules, state);
  return result;
}

/// Goes on from another tour, (N), with the costs of that tour; everything else stays.
template <class Problem, class Lanes>
NEUOPT_HD void continue_from(Lanes lanes, const Search<Problem>& search, const std::int32_t* order,
                             SearchState& state) {
  for (int p = lanes.first(); p < search.tour.nodes; p += lanes.stride()) {
    search.tour.order[p] = order[p];
    search.tour.position[order[p]] = p;
  }
  lanes.sync();
  state.status.violation = Problem::walk(lanes, search.instance, search.tour, search.routes);
  state.status.cost = tour_cost(search.instance, search.tour);
  state.status.previous_anchor = -1;
}

}  // namespace neuopt::env
