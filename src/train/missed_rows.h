// Exchanges that are there to be made: for a recorded state, the exchange of two edges that leads furthest below the
// best feasible cost of its search. One row at a time, for host loops and kernels; everything is read from what the
// network saw of the state, in tour order.
#pragma once

#include <cmath>
#include <cstdint>

#include "env/masking.h"
#include "kopt/tour.h"
#include "local/best_move.h"
#include "problem/problem_kind.h"

namespace neuopt::train {

/// Whether they are found in a problem: where windows are, a part of a route that is reversed may be late.
constexpr bool finds_missed_exchanges(ProblemKind kind) {
  static_assert(written_for(3), "can exchanges of a new problem be judged by loads alone?");
  return !traits(kind).windows;
}

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

/// Which exchanges of two edges overload no route. Reversing what lies between two positions changes no load within a
/// route; otherwise two routes change (see TwoOptMask), and every other one has to be feasible already.
struct LoadsAfter {
  env::LoadRows loads;
  int overloaded;  // routes of the tour as it is

  NEUOPT_HD bool route_overloaded(int position) const {
    return exceeds_capacity(loads.up_to(position) + loads.after(position));
  }
  NEUOPT_HD bool feasible(int first, int second, bool same_route) const {
    if (loads.features == nullptr) return true;
    if (same_route) return overloaded == 0;
    return overloaded == (route_overloaded(first) ? 1 : 0) + (route_overloaded(second) ? 1 : 0) &&
           !exceeds_capacity(loads.up_to(first) + loads.up_to(second)) &&
           !exceeds_capacity(loads.after(first) + loads.after(second));
  }
};

NEUOPT_HD LoadsAfter loads_after(const float* state, int nodes, bool loads) {
  LoadsAfter result{{loads ? state : nullptr}, 0};
  for (int p = 0; loads && p < nodes; ++p)
    result.overloaded += result.loads.is_depot(p) && exceeds_capacity(result.loads.after(p)) ? 1 : 0;
  return result;
}

/// The best exchange among those whose first position is the lane's. Its number is first * N + second, its delta what
/// the cost after it is above the best.
template <class Lanes>
NEUOPT_HD local::Move missed_by_lane(Lanes lanes, const MissedArguments& a, int row) {
  const float* state = a.states + static_cast<std::int64_t>(row) * a.nodes * a.features;
  const float* costs = a.costs + static_cast<std::int64_t>(row) * 3;
  const auto length = [&](int p, int q) {
    const float x = state[p * a.features] - state[q * a.features];
    const float y = state[p * a.features + 1] - state[q * a.features + 1];
    return sqrtf(x * x + y * y);
  };
  const LoadsAfter after = loads_after(state, a.nodes, a.loads);
  const float above_best = costs[0] - costs[1];
  local::Move best{.delta = -kMissedRounding};
  for (int i = lanes.first(); i < a.nodes - 2; i += lanes.stride()) {
    const float first_edge = length(i, i + 1);
    bool same_route = !after.loads.features || !after.loads.is_depot(i + 1);
    for (int j = i + 2; j < a.nodes - (i == 0 ? 1 : 0); ++j) {
      if (after.loads.features && after.loads.is_depot(j)) same_route = false;
      const int next = kopt::wrap(j + 1, a.nodes);
      const float removed = first_edge + length(j, next);
      if (above_best - removed >= best.delta) continue;
      const float delta = above_best - removed + length(i, j) + length(i + 1, next);
      if (delta < best.delta && after.feasible(i, j, same_route)) best.offer(delta, i * a.nodes + j);
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
