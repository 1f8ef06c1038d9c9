// Costs and feasibility of a search, and the rewards of a step. Nothing here knows the policy.
#pragma once

#include "env/gire.h"
#include "env/problems/problems.h"

namespace neuopt::env {

/// What a search knows of the solutions it has visited.
struct SearchStatus {
  double cost;               // of the current solution, feasible or not
  double best_cost;          // best feasible cost; infinite before the first feasible solution
  double best_epsilon_cost;  // best cost among infeasible but epsilon-feasible solutions
  float violation;           // of the current solution; 0 when feasible
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

/// Status of a search that starts from a solution of this cost and violation.
NEUOPT_HD SearchStatus start_status(double cost, float violation) {
  return SearchStatus{.cost = cost,
                      .best_cost = violation > 0 ? static_cast<double>(INFINITY) : cost,
                      .best_epsilon_cost = cost,
                      .violation = violation,
                      .previous_anchor = -1,
                      .history = {}};
}

/// Updates the status for the next solution and returns the rewards. `mean_improvement` is E[r], the scale of the
/// regulation; `epsilon` the instance's.
template <class Problem>
NEUOPT_HD Reward record_solution(double cost, float violation, float epsilon, const GireParameters& gire,
                                 float mean_improvement, SearchStatus& status) {
  Reward reward{0, 0, 0};
  status.cost = cost;
  status.violation = violation;
  const bool feasible = is_feasible(status);
  record_step(status.history, feasible);
  if (feasible && cost < status.best_cost) {
    reward.improvement = static_cast<float>(status.best_cost - cost);
    status.best_cost = cost;
  }
  if constexpr (!kConstrained<Problem>) {
    status.best_epsilon_cost = status.best_cost;  // nothing to violate: the two are one
    return reward;
  }
  if (!feasible && violation <= epsilon && cost < status.best_epsilon_cost) {
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

}  // namespace neuopt::env
