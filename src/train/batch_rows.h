// The batch environment, one row (search) at a time: the same code runs in a host loop and in a warp of a kernel.
// Raw pointers only, so that CUDA sources stay free of LibTorch.
#pragma once

#include <cstdint>

#include "core/philox.h"
#include "env/features.h"
#include "env/step.h"
#include "kopt/choices.h"
#include "problem/generate_draw.h"
#include "problem/shaped_instance.h"

namespace neuopt::train {

/// Largest K of the trainer: bounds the storage of an action in registers.
inline constexpr int kMaxMoves = 32;

struct BatchView {
  int batch, nodes, depots, max_moves;  // B, N, D, K
  float capacity, epsilon;
  float shaped;  // share of generated instances that are not uniform
  env::GireParameters gire;
  float* x;                   // (B, N)
  float* y;                   // (B, N)
  float* demand;              // (B, N) over capacity; null for the TSP
  std::int32_t* order;        // (B, N)
  std::int32_t* position;     // (B, N)
  std::int32_t* scratch;      // (B, N)
  std::int32_t* best_order;   // (B, N)
  float* load_up_to;          // (B, N); null for the TSP
  float* load_after;          // (B, N); null for the TSP
  float* route_load;          // (B, D); null for the TSP
  env::SearchStatus* status;  // (B)
};

/// Where observe() writes; see Observation.
struct ObservationView {
  float* features;                // (B, N, features), rows in tour order
  float* exploration;             // (B, 9)
  std::int32_t* previous_anchor;  // (B) position or -1
  float* costs;                   // (B, 3)
};

NEUOPT_HD std::int64_t row_offset(const BatchView& batch, int row) {
  return static_cast<std::int64_t>(row) * batch.nodes;
}

NEUOPT_HD env::ProblemView problem_of(const BatchView& batch, int row) {
  const std::int64_t at = row_offset(batch, row);
  return env::ProblemView{batch.nodes,
                          batch.depots,
                          batch.x + at,
                          batch.y + at,
                          batch.depots > 0 ? batch.demand + at : nullptr,
                          nullptr,
                          nullptr,
                          0,
                          batch.epsilon,
                          1e-5f};
}

NEUOPT_HD kopt::TourView tour_of(const BatchView& batch, int row) {
  const std::int64_t at = row_offset(batch, row);
  return kopt::TourView{batch.nodes, batch.order + at, batch.position + at};
}

NEUOPT_HD env::LoadsView loads_of(const BatchView& batch, int row) {
  if (batch.depots == 0) return env::LoadsView{nullptr, nullptr, nullptr};
  const std::int64_t at = row_offset(batch, row);
  return env::LoadsView{batch.load_up_to + at, batch.load_after + at,
                        batch.route_load + static_cast<std::int64_t>(row) * batch.depots};
}

/// Draws the nodes of a fresh uniform instance.
template <class Lanes>
NEUOPT_HD void generate_uniform_row(Lanes lanes, const BatchView& batch, int row, const Random& random,
                                    std::uint64_t instance) {
  const std::int64_t at = row_offset(batch, row);
  for (int node = lanes.first(); node < batch.nodes; node += lanes.stride()) {
    const int place = node < batch.depots ? 0 : (batch.depots > 0 ? node - batch.depots + 1 : node);
    const NodeDraw draw = draw_node(random, instance, static_cast<std::uint32_t>(place));
    batch.x[at + node] = draw.x;
    batch.y[at + node] = draw.y;
    if (batch.depots > 0)
      batch.demand[at + node] = node < batch.depots ? 0.0f : static_cast<float>(draw.demand) / batch.capacity;
  }
  lanes.sync();
}

/// Draws a fresh instance: shaped, in a share of the cases that each instance decides for itself, or uniform.
template <class Lanes>
NEUOPT_HD void generate_instance(Lanes lanes, const BatchView& batch, int row, const Random& random,
                                 std::uint64_t instance) {
  const ShapedWords words{random, instance};
  if (!is_shaped(words, batch.shaped)) return generate_uniform_row(lanes, batch, row, random, instance);
  const std::int64_t at = row_offset(batch, row);
  write_shaped_instance(lanes, words,
                        ShapedView{batch.depots, batch.nodes - batch.depots, batch.x + at, batch.y + at,
                                   batch.depots > 0 ? batch.demand + at : nullptr});
}

/// Writes the standard start into `order`: a random permutation (TSP), or the customers in index order with a new
/// route whenever the next one does not fit (CVRP). One lane works: it happens once in hundreds of steps.
template <class Lanes>
NEUOPT_HD void write_standard_start(Lanes lanes, const BatchView& batch, int row, const Random& random,
                                    std::uint64_t instance) {
  const std::int64_t at = row_offset(batch, row);
  std::int32_t* order = batch.order + at;
  if (lanes.first() == 0 && batch.depots == 0) {
    for (int node = 0; node < batch.nodes; ++node) order[node] = node;
    for (int last = batch.nodes - 1; last > 1; --last) {  // node 0 stays at position 0
      const auto step = static_cast<std::uint32_t>(last);
      const Philox4 words = random.words(Draw::start, static_cast<std::uint32_t>(instance),
                                         static_cast<std::uint32_t>(instance >> 32), step, 0);
      const int pick = 1 + static_cast<int>(uniform_below(words.word[0], step));
      const std::int32_t swapped = order[last];
      order[last] = order[pick];
      order[pick] = swapped;
    }
  } else if (lanes.first() == 0) {
    int p = 0, depot = 0;
    OrderPacking packing;
    order[p++] = depot++;
    for (int node = batch.depots; node < batch.nodes; ++node) {
      packing.add(batch.demand[at + node]);
      if (packing.route == depot && depot < batch.depots) order[p++] = depot++;
      order[p++] = node;
    }
    while (depot < batch.depots) order[p++] = depot++;
  }
  lanes.sync();
}

/// Positions, loads, status and best tour for the tour in `order`; history and costs begin anew.
template <class Lanes>
NEUOPT_HD void start_row(Lanes lanes, const BatchView& batch, int row) {
  const env::ProblemView problem = problem_of(batch, row);
  const kopt::TourView tour = tour_of(batch, row);
  for (int p = lanes.first(); p < batch.nodes; p += lanes.stride()) {
    tour.position[tour.order[p]] = p;
    batch.best_order[row_offset(batch, row) + p] = tour.order[p];
  }
  lanes.sync();
  if (batch.depots > 0) env::compute_loads(lanes, problem, tour, loads_of(batch, row));
  if (lanes.first() == 0) batch.status[row] = env::start_status(problem, tour, loads_of(batch, row));
  lanes.sync();
}

template <class Lanes>
NEUOPT_HD void restart_row_from_best(Lanes lanes, const BatchView& batch, int row) {
  const std::int64_t at = row_offset(batch, row);
  for (int p = lanes.first(); p < batch.nodes; p += lanes.stride()) batch.order[at + p] = batch.best_order[at + p];
  lanes.sync();
  start_row(lanes, batch, row);
}

template <class Lanes>
NEUOPT_HD void observe_row(Lanes lanes, const BatchView& batch, int row, const ObservationView& into) {
  const env::ProblemView problem = problem_of(batch, row);
  const kopt::TourView tour = tour_of(batch, row);
  const env::LoadsView loads = loads_of(batch, row);
  const int features = env::feature_count(problem);
  float* out = into.features + row_offset(batch, row) * features;
  for (int p = lanes.first(); p < batch.nodes; p += lanes.stride()) {
    const int node = tour.order[p];
    env::write_node_features(problem, loads, batch.gire, node, problem.x[node], problem.y[node], out + p * features);
  }
  if (lanes.first() != 0) return;
  const env::SearchStatus& status = batch.status[row];
  env::write_exploration_features(status.history, env::is_feasible(status), batch.gire,
                                  into.exploration + static_cast<std::int64_t>(row) * env::kExplorationFeatures);
  into.previous_anchor[row] = status.previous_anchor < 0 ? -1 : tour.position[status.previous_anchor];
  into.costs[row * 3 + 0] = static_cast<float>(status.cost);
  into.costs[row * 3 + 1] = static_cast<float>(status.best_cost);
  into.costs[row * 3 + 2] = static_cast<float>(status.best_epsilon_cost);
}

/// One search step: applies the choices (K positions) and writes the three rewards.
template <class Lanes>
NEUOPT_HD void step_row(Lanes lanes, const BatchView& batch, int row, const std::int32_t* choices,
                        float mean_improvement, float* rewards) {
  const env::ProblemView problem = problem_of(batch, row);
  const kopt::TourView tour = tour_of(batch, row);
  const std::int64_t at = row_offset(batch, row);
  int cuts[kMaxMoves];
  kopt::Action action = kopt::action_from_choices(choices, batch.max_moves, batch.nodes, cuts);
  action.anchor = tour.order[action.anchor_position];
  env::SearchStatus status = batch.status[row];
  lanes.sync();
  const env::Reward reward = env::take_step(lanes, problem, batch.gire, mean_improvement, action, tour,
                                            loads_of(batch, row), batch.scratch + at, status);
  if (reward.improvement > 0)
    for (int p = lanes.first(); p < batch.nodes; p += lanes.stride()) batch.best_order[at + p] = tour.order[p];
  if (lanes.first() != 0) return;
  batch.status[row] = status;
  rewards[0] = reward.improvement;
  rewards[1] = reward.regulation;
  rewards[2] = reward.bonus;
}

}  // namespace neuopt::train
