// The batch environment, one row (search) at a time, beyond what env/search.h has: generated instances, and what the
// networks see. The same code runs in a host loop and in a warp of a kernel. Raw pointers only, so that CUDA sources
// stay free of LibTorch.
#pragma once

#include <cstdint>

#include "env/observation.h"
#include "kopt/choices.h"
#include "problem/generate_draw.h"
#include "problem/shaped_instance.h"

namespace neuopt::train {

/// Largest K of the trainer: bounds the storage of an action in registers.
inline constexpr int kMaxMoves = 32;

struct BatchView {
  ProblemKind kind;
  env::SearchBatch searches;
  int max_moves;   // K
  int depots;      // D of the generated instances
  float capacity;  // of the generated instances
  float shaped;    // share of generated instances that are not uniform
  float *x, *y;    // (B, N) where the instances lie that are generated
  void* node;      // (B, N) of the problem's Node
};

/// Where observe() writes; see Observation.
struct ObservationView {
  float* features;                // (B, N, features), rows in tour order
  float* exploration;             // (B, 9)
  std::int32_t* previous_anchor;  // (B) position or -1
  float* costs;                   // (B, 3)
};

/// Where an instance is generated.
template <class Problem>
struct InstanceRow {
  int nodes, depots;
  float *x, *y;                  // (N)
  typename Problem::Node* node;  // (N)
};

template <class Problem>
NEUOPT_HD InstanceRow<Problem> instance_row(const BatchView& batch, int row) {
  using Node = typename Problem::Node;
  const int nodes = batch.searches.nodes;
  const std::int64_t at = static_cast<std::int64_t>(row) * nodes;
  Node* node = nullptr;
  if constexpr (env::kStoredBytes < Node >> 0) node = static_cast<Node*>(batch.node) + at;
  return {nodes, batch.depots, batch.x + at, batch.y + at, node};
}

/// Draws the nodes of a fresh uniform instance.
template <class Problem, class Lanes>
NEUOPT_HD void generate_uniform_row(Lanes lanes, const InstanceRow<Problem>& into, float capacity, const Random& random,
                                    std::uint64_t instance) {
  const int first = into.depots > 1 ? into.depots - 1 : 0;  // copies of the depot come from one draw
  for (int node = lanes.first(); node < into.nodes; node += lanes.stride()) {
    const bool depot = node < into.depots;
    const NodeDraw draw = draw_node(random, instance, static_cast<std::uint32_t>(depot ? 0 : node - first));
    into.x[node] = draw.x;
    into.y[node] = draw.y;
    if (float* demand = Problem::demand(into.node + node); demand != nullptr)
      *demand = depot ? 0.0f : static_cast<float>(draw.demand) / capacity;
  }
  lanes.sync();
}

/// Draws windows and service times of a uniform instance whose places are there.
template <class Problem, class Lanes>
NEUOPT_HD void generate_times(Lanes lanes, const env::InstanceView& instance, const InstanceRow<Problem>& into,
                              const Random& random, std::uint64_t number) {
  for (int node = lanes.first(); node < into.nodes; node += lanes.stride())
    into.node[node].times = node < into.depots
                                ? StopTimes{0, kDrawnDayTicks, 0}
                                : draw_times(random, number, static_cast<std::uint32_t>(node - into.depots + 1),
                                             env::travel_time(instance, 0, node));
  lanes.sync();
}

/// Draws a fresh instance: shaped, in a share of the cases that each instance decides for itself, or uniform.
template <class Problem, class Lanes>
NEUOPT_HD void generate_instance(Lanes lanes, const BatchView& batch, int row, const Random& random,
                                 std::uint64_t instance) {
  const InstanceRow<Problem> into = instance_row<Problem>(batch, row);
  const ShapedWords words{random, instance};
  if (!is_shaped(words, batch.shaped)) {
    generate_uniform_row(lanes, into, batch.capacity, random, instance);
    if constexpr (Problem::traits.windows) generate_times(lanes, batch.searches.instances[row], into, random, instance);
    return;
  }
  constexpr int kStride = static_cast<int>(env::kStoredBytes<typename Problem::Node> / sizeof(float));
  ShapedView view{.depots = into.depots,
                  .customers = into.nodes - into.depots,
                  .x = into.x,
                  .y = into.y,
                  .demand = Problem::demand(into.node),
                  .stride = kStride};
  if constexpr (Problem::traits.windows) {
    view.times = &into.node->times;
    view.times_step = sizeof(typename Problem::Node);
  }
  write_shaped_instance(lanes, words, view);
}

template <class Problem, class Lanes>
NEUOPT_HD void start_row(Lanes lanes, const BatchView& batch, int row) {
  const env::Search<Problem> search = env::search_at<Problem>(batch.searches, row);
  env::SearchState state{};
  state.instance_id = static_cast<std::uint32_t>(row);  // of its augmentations, which branches share
  env::start_search(lanes, batch.searches.rules, search, state);
  if (lanes.first() == 0) batch.searches.states[row] = state;
  lanes.sync();
}

/// A fresh instance with the start of the paper's protocol. One with time windows whose start needs more routes than
/// there are depots is drawn anew, with other random numbers.
template <class Problem, class Lanes>
NEUOPT_HD void generate_row(Lanes lanes, const BatchView& batch, int row, const Random& random,
                            std::uint64_t instance) {
  constexpr std::uint64_t kOtherNumbers = 0x9E3779B97F4A7C15u;
  constexpr int kMostDraws = Problem::traits.windows ? 100 : 1;
  const env::Search<Problem> search = env::search_at<Problem>(batch.searches, row);
  for (int draw = 0; draw < kMostDraws; ++draw) {
    const Random numbers{random.seed + static_cast<std::uint64_t>(draw) * kOtherNumbers};
    generate_instance<Problem>(lanes, batch, row, numbers, instance);
    Problem::write_start(lanes, search.instance, numbers, static_cast<std::uint32_t>(instance),
                         static_cast<std::uint32_t>(instance >> 32), search.tour.order, search.scratch);
    start_row<Problem>(lanes, batch, row);
    if (env::is_feasible(batch.searches.states[row].status)) return;
  }
}

template <class Problem, class Lanes>
NEUOPT_HD void restart_row_from_best(Lanes lanes, const BatchView& batch, int row) {
  const env::Search<Problem> search = env::search_at<Problem>(batch.searches, row);
  for (int p = lanes.first(); p < search.tour.nodes; p += lanes.stride()) search.tour.order[p] = search.best_order[p];
  lanes.sync();
  start_row<Problem>(lanes, batch, row);
}

template <class Problem, class Lanes>
NEUOPT_HD void observe_row(Lanes lanes, const BatchView& batch, int row, const ObservationView& into) {
  const env::Search<Problem> search = env::search_at<Problem>(batch.searches, row);
  const env::SearchState& state = batch.searches.states[row];
  const std::int64_t values = static_cast<std::int64_t>(search.tour.nodes) * env::kFeatures<Problem>;
  env::write_features<Problem, env::RowOrder::position>(lanes, batch.searches.rules, search, state,
                                                        into.features + row * values);
  if (lanes.first() != 0) return;
  const env::SearchStatus& status = state.status;
  env::write_exploration(batch.searches.rules, state,
                         into.exploration + static_cast<std::int64_t>(row) * env::kExplorationFeatures);
  into.previous_anchor[row] = status.previous_anchor < 0 ? -1 : search.tour.position[status.previous_anchor];
  into.costs[row * 3 + 0] = static_cast<float>(status.cost);
  into.costs[row * 3 + 1] = static_cast<float>(status.best_cost);
  into.costs[row * 3 + 2] = static_cast<float>(status.best_epsilon_cost);
}

/// One search step: applies the choices (K positions) and writes the three rewards.
template <class Problem, class Lanes>
NEUOPT_HD void step_row(Lanes lanes, const BatchView& batch, int row, const std::int32_t* choices,
                        float mean_improvement, float* rewards) {
  const env::Search<Problem> search = env::search_at<Problem>(batch.searches, row);
  int cuts[kMaxMoves];
  kopt::Action action = kopt::action_from_choices(choices, batch.max_moves, search.tour.nodes, cuts);
  action.anchor = search.tour.order[action.anchor_position];
  env::SearchState state = batch.searches.states[row];
  lanes.sync();
  const env::Reward reward =
      env::take_step(lanes, batch.searches.rules, search, action, mean_improvement, state).reward;
  if (lanes.first() != 0) return;
  batch.searches.states[row] = state;
  rewards[0] = reward.improvement;
  rewards[1] = reward.regulation;
  rewards[2] = reward.bonus;
}

}  // namespace neuopt::train
