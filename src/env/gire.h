// Guided Infeasible Region Exploration: parameters, the feasibility history and what is derived from it.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/host_device.h"

namespace neuopt::env {

/// The paper's hyper-parameters with its defaults; the switches are its ablations.
struct GireParameters {
  bool violation_features = true;    // VI: node features that flag where the capacity is exceeded
  bool exploration_features = true;  // ES: feasibility statistics that steer the last decoder layer
  bool regulation_reward = true;     // r_reg: against extreme exploration
  bool bonus_reward = true;          // r_bonus: for epsilon-feasible solutions
  float alpha = 0.05f;               // weight of r_reg
  float beta = 0.05f;                // weight of r_bonus
  float zeta = 0.1f;                 // epsilon = zeta * customers * mean demand / capacity
  float c1 = 0.5f;                   // shape of the entropy measure H
  float c2 = 2.5f;                   // shape of the entropy measure H
  int history = 25;                  // T_his: feasibility flags kept, 2 .. 64
};

inline constexpr int kExplorationFeatures = 9;

/// The last feasibility flags: bit 0 is the newest, 1 means infeasible. Initially all feasible.
struct FeasibilityHistory {
  std::uint64_t infeasible = 0;
  int steps = 0;  // search steps taken
};

NEUOPT_HD void record_step(FeasibilityHistory& history, bool feasible) {
  history.infeasible = (history.infeasible << 1) | (feasible ? 0u : 1u);
  ++history.steps;
}

/// Transitions within the history: how often each pair of states followed one another.
struct Transitions {
  float infeasible_infeasible, feasible_feasible, infeasible_feasible, feasible_infeasible;
};

NEUOPT_HD int count_bits(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __popcll(bits);
#else
  return __builtin_popcountll(bits);
#endif
}

NEUOPT_HD Transitions count_transitions(const FeasibilityHistory& history, const GireParameters& gire) {
  const std::uint64_t window = (std::uint64_t{1} << (gire.history - 1)) - 1;
  const std::uint64_t later = history.infeasible;
  const std::uint64_t earlier = history.infeasible >> 1;
  return {static_cast<float>(count_bits(earlier & later & window)),
          static_cast<float>(count_bits(~earlier & ~later & window)),
          static_cast<float>(count_bits(earlier & ~later & window)),
          static_cast<float>(count_bits(~earlier & later & window))};
}

/// P(U|U) and P(F|F), the conditional probabilities of staying.
struct StayProbabilities {
  float infeasible, feasible;
};

NEUOPT_HD StayProbabilities stay_probabilities(const Transitions& count, const GireParameters& gire) {
  const float total = static_cast<float>(gire.history - 1);
  const float uu = count.infeasible_infeasible / total, ff = count.feasible_feasible / total;
  const float uf = count.infeasible_feasible / total, fu = count.feasible_infeasible / total;
  return {uu / (uu + uf + 1e-5f), ff / (ff + fu + 1e-5f)};
}

/// ES features: P(U,U), P(U|U), P(F,F), P(F|F), P(U,F), P(F|U), P(F,U), P(U|F), then 1 if the current solution is
/// feasible. The first eight stay 0 until the history is full; all of them are 0 when the switch is off.
NEUOPT_HD void write_exploration_features(const FeasibilityHistory& history, bool feasible, const GireParameters& gire,
                                          float* out) {
  for (int i = 0; i < kExplorationFeatures; ++i) out[i] = 0;
  if (!gire.exploration_features) return;
  out[8] = feasible ? 1.0f : 0.0f;
  if (history.steps < gire.history - 1) return;
  const Transitions count = count_transitions(history, gire);
  const StayProbabilities stay = stay_probabilities(count, gire);
  const float total = static_cast<float>(gire.history - 1);
  const float uu = count.infeasible_infeasible / total, ff = count.feasible_feasible / total;
  const float uf = count.infeasible_feasible / total, fu = count.feasible_infeasible / total;
  out[0] = uu;
  out[1] = stay.infeasible;
  out[2] = ff;
  out[3] = stay.feasible;
  out[4] = uf;
  out[5] = uf / (uu + uf + 1e-5f);
  out[6] = fu;
  out[7] = fu / (ff + fu + 1e-5f);
}

/// The entropy measure H[P]: 0 for moderate probabilities, up to 1 towards 0 and 1.
NEUOPT_HD float entropy_measure(float p, const GireParameters& gire) {
  constexpr float kPiE = 8.53973422f;  // pi * e
  const float value = 1.0f - gire.c1 * log2f(gire.c2 * kPiE * p * (1.0f - p) + 1e-5f);
  return value < 0.0f ? 0.0f : (value > 1.0f ? 1.0f : value);
}

/// The total violation up to which an infeasible solution counts as epsilon-feasible: the paper's rule.
NEUOPT_HD float epsilon_for(const GireParameters& gire, int customers, float mean_demand_over_capacity) {
  return gire.zeta * static_cast<float>(customers) * mean_demand_over_capacity;
}

}  // namespace neuopt::env
