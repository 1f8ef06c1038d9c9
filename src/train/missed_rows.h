// Exchanges that are there to be made: for a recorded state, the exchange of two edges that leads furthest below the
// best feasible cost of its search. One row at a time, for host loops and kernels; everything is read from what the
// network saw of the state, in tour order.
#pragma once

#include <cmath>
#include <cstdint>

#include "env/prospects.h"
#include "kopt/tour.h"
#include "local/best_move.h"
#include "problem/problem_kind.h"

namespace neuopt::train {

struct MissedArguments {
  int rows, nodes, max_moves, features;  // R, N, K
  bool loads;                            // routes have a capacity (CVRP); otherwise every tour is feasible
  const float* states;                   // (R, N, features)
  const float* costs;                    // (R, 3): current, best
  const std::int32_t* previous_anchor;   // (R) position or -1
  std::int32_t* choices;                 // (R, 2, K): the exchange as a policy would choose it, either way
  float* gain;                           // (R): 0 where there is none, and the choices are then left as they are
};

/// Costs are single precision here, and lengths add up with rounding errors.
inline constexpr float kMissedRounding = 1e-5f;

/// The best exchange among those whose first position is the lane's. Its number is first * N + second, its delta what
/// the cost after it is above the best.
template <class Lanes>
NEUOPT_HD local::Move missed_by_lane(Lanes lanes, const MissedArguments& a, int row) {
  const float* state = a.states + static_cast<std::int64_t>(row) * a.nodes * a.features;
  const float* costs = a.costs + static_cast<std::int64_t>(row) * 3;
  const env::TourLengths length{.features = state, .width = a.features};
  const env::LoadRows loads{a.loads ? state : nullptr};
  const int overloaded = env::overloaded_routes(SerialLanes{}, loads, a.nodes);
  const float above_best = costs[0] - costs[1];
  local::Move best{.delta = -kMissedRounding};
  for (int i = lanes.first(); i < a.nodes - 2; i += lanes.stride()) {
    const float first_edge = length(i, i + 1);
    const env::AnchorLoads anchor_loads = env::loads_from(loads, a.nodes, overloaded, i);
    for (int j = i + 2; j < a.nodes - (i == 0 ? 1 : 0); ++j) {
      const int next = kopt::wrap(j + 1, a.nodes);
      const float removed = first_edge + length(j, next);
      if (above_best - removed >= best.delta) continue;
      const float delta = above_best - removed + length(i, j) + length(i + 1, next);
      if (delta < best.delta && anchor_loads.feasible_with(j - i)) best.offer(delta, i * a.nodes + j);
    }
  }
  return best;
}

/// The choices of the exchange behind these two positions, the first of them the anchor.
NEUOPT_HD void write_choices(const MissedArguments& a, int anchor, int other, std::int32_t* choices) {
  choices[0] = anchor;
  choices[1] = other;
  for (int k = 2; k < a.max_moves; ++k) choices[k] = k == 2 ? kopt::wrap(other + 1, a.nodes) : anchor;  // the E-move
}

/// Either end of an exchange may be its anchor, but the previous anchor may not: the other end is then there twice.
NEUOPT_HD void write_missed(const MissedArguments& a, int row, const local::Move& move) {
  a.gain[row] = move.found() ? static_cast<float>(-move.delta) : 0.0f;
  if (!move.found()) return;
  const int ends[2] = {move.number / a.nodes, move.number % a.nodes};
  for (int way = 0; way < 2; ++way) {
    const int anchor = ends[way] != a.previous_anchor[row] ? way : 1 - way;
    write_choices(a, ends[anchor], ends[1 - anchor],
                  a.choices + (static_cast<std::int64_t>(row) * 2 + way) * a.max_moves);
  }
}

}  // namespace neuopt::train
