// One search step seen from outside the network: the exchange is applied, costs, loads, feasibility and the three
// rewards follow. Nothing here knows the policy.
#pragma once

#include <cassert>

#include "env/gire.h"
#include "env/problem_view.h"
#include "env/routes.h"
#include "kopt/exchange.h"

namespace neuopt::env {

/// Everything that a search on one copy of an instance carries from step to step, besides its tour and loads.
struct SearchStatus {
  double cost;               // of the current solution, feasible or not
  double best_cost;          // best feasible cost
  double best_epsilon_cost;  // best cost among infeasible but epsilon-feasible solutions
  float violation;           // total excess load of the current solution; 0 when feasible
  int previous_anchor;       // may not be chosen by the next S-move; -1 at the start
  FeasibilityHistory history;
};

/// The three columns of the reward.
struct Reward {
  float improvement;  // of the best feasible cost
  float regulation;   // alpha * r_reg
  float bonus;        // beta * r_bonus
};

NEUOPT_HD bool is_feasible(const SearchStatus& status) { return !(status.violation > 0); }

NEUOPT_HD double tour_cost(const ProblemView& problem, const kopt::TourView& tour) {
  double cost = edge_cost(problem, tour.order[tour.nodes - 1], tour.order[0]);
  for (int p = 1; p < tour.nodes; ++p) cost += edge_cost(problem, tour.order[p - 1], tour.order[p]);
  return cost;
}

/// Cost of the tour after the exchange minus its cost before.
NEUOPT_HD double exchange_delta(const ProblemView& problem, const kopt::TourView& tour, const kopt::Action& action) {
  double delta = 0;
  kopt::for_each_changed_edge(tour, action,
                              [&](int from, int to, int sign) { delta += sign * edge_cost(problem, from, to); });
  return delta;
}

/// Status of a search that starts from this tour, whose loads are computed (CVRP).
NEUOPT_HD SearchStatus start_status(const ProblemView& problem, const kopt::TourView& tour, const LoadsView& loads) {
  const double cost = tour_cost(problem, tour);
  return SearchStatus{cost, cost, cost, total_violation(problem, loads), -1, FeasibilityHistory{}};
}

/// Updates the status for a solution of the given cost, whose loads are up to date, and returns the rewards.
/// `mean_improvement` is E[r], the scale of the regulation.
NEUOPT_HD Reward record_solution(const ProblemView& problem, const LoadsView& loads, const GireParameters& gire,
                                 float mean_improvement, double cost, SearchStatus& status) {
  Reward reward{0, 0, 0};
  status.cost = cost;
  status.violation = total_violation(problem, loads);
  const bool feasible = is_feasible(status);
  record_step(status.history, feasible);
  if (feasible && cost < status.best_cost) {
    reward.improvement = static_cast<float>(status.best_cost - cost);
    status.best_cost = cost;
  }
  if (problem.depots == 0) {
    status.best_epsilon_cost = status.best_cost;  // nothing to violate: the two are one
    return reward;
  }
  if (!feasible && status.violation <= problem.epsilon && cost < status.best_epsilon_cost) {
    if (gire.bonus_reward) reward.bonus = gire.beta * static_cast<float>(status.best_epsilon_cost - cost);
    status.best_epsilon_cost = cost;
  }
  if (gire.regulation_reward) {
    const StayProbabilities stay = stay_probabilities(count_transitions(status.history, gire), gire);
    reward.regulation = -gire.alpha * mean_improvement *
                        (entropy_measure(stay.feasible, gire) + entropy_measure(stay.infeasible, gire));
  }
  return reward;
}

/// Debug builds on the host check that the cost after a move is the cost before plus its delta.
#if !defined(NDEBUG) && !defined(__CUDA_ARCH__)
inline constexpr bool kCheckDelta = true;
#else
inline constexpr bool kCheckDelta = false;
#endif

/// One step: applies the action, recomputes loads, updates the status. All lanes call it with the same arguments;
/// every lane returns the reward, and `status` must be private to the lane or written by one lane only.
template <class Lanes>
NEUOPT_HD Reward take_step(Lanes lanes, const ProblemView& problem, const GireParameters& gire, float mean_improvement,
                           const kopt::Action& action, const kopt::TourView& tour, const LoadsView& loads, int* scratch,
                           SearchStatus& status) {
  const double delta = exchange_delta(problem, tour, action);
  [[maybe_unused]] const double cost_before = kCheckDelta ? tour_cost(problem, tour) : 0;
  lanes.sync();
  kopt::apply_exchange(lanes, tour, action, scratch);
  assert(!kCheckDelta || fabs(tour_cost(problem, tour) - (cost_before + delta)) <= 1e-9 * (1 + cost_before));
  if (problem.depots > 0) compute_loads(lanes, problem, tour, loads);
  status.previous_anchor = action.anchor;
  return record_solution(problem, loads, gire, mean_improvement, status.cost + delta, status);
}

}  // namespace neuopt::env
