// Decoding one row at a time, for host loops and kernels. Everything is a position in the current tour.
#pragma once

#include <cmath>

#include "core/philox.h"
#include "env/masking.h"
#include "kopt/choices.h"
#include "kopt/draw.h"
#include "policy/logits.h"
#include "train/batch_rows.h"

namespace neuopt::train {

using kopt::action_from_choices;
using kopt::edge_input_position;
using kopt::legal_continuation;
using kopt::legal_start;
using kopt::LegalChoices;

/// What masking leaves at decoding step k: everything at the S-move, and where `features` is null.
NEUOPT_HD env::TwoOptMask masking_at(int k, const float* features, int nodes, const kopt::Action& action) {
  return env::make_two_opt_mask({k > 0 ? features : nullptr}, nodes, action.anchor_position);
}

/// Pointers of one row of a DecodePlan.
struct PlanRow {
  bool* legal;               // (K, N)
  bool* active;              // (K)
  std::int64_t* move_input;  // (K - 1)
  std::int64_t* edge_input;  // (K - 1)
};

/// `features` (N, features) in tour order mask the second choice (env/masking.h); null: no masking.
template <class Lanes>
NEUOPT_HD void plan_row(Lanes lanes, const std::int32_t* choices, int previous_anchor, int max_moves, int nodes,
                        bool fixed_k, const float* features, const PlanRow& out) {
  int cuts[kMaxMoves];
  kopt::Action action = kopt::start_at_position(choices[0], nodes, cuts);
  for (int k = 0; k < max_moves; ++k) {
    if (k > 0 && lanes.first() == 0) {
      out.move_input[k - 1] = choices[k - 1];
      out.edge_input[k - 1] = edge_input_position(action);
    }
    const LegalChoices legal = k == 0 ? legal_start(nodes, previous_anchor) : legal_continuation(action, fixed_k);
    const env::TwoOptMask mask = masking_at(k, features, nodes, action);
    const bool active = !action.closed;
    for (int p = lanes.first(); p < nodes; p += lanes.stride())
      out.legal[k * nodes + p] = !active || (legal.allows(p) && mask.allows(p));
    if (lanes.first() == 0) out.active[k] = active;
    if (k > 0 && active) kopt::choose_position(action, choices[k]);
  }
}

/// Arguments of sample_choice for one row.
struct SampleRow {
  const float* scores;       // (N)
  const float* features;     // (N, features) in tour order, for masking; null: none
  std::int32_t* choices;     // (K): reads the first k, writes number k
  float* log_prob;           // added to
  std::int32_t* move_input;  // next input of stream mu
  std::int32_t* edge_input;  // next input of stream lambda
  int previous_anchor;
  float uniform_number;  // in [0, 1)
};

/// Draws decoding step k over the positions in order; logits are bound * tanh(score). `weights` has room for N floats
/// that all lanes see.
template <class Lanes>
NEUOPT_HD void sample_row(Lanes lanes, const SampleRow& row, int k, int nodes, bool fixed_k, float bound,
                          float* weights) {
  int cuts[kMaxMoves];
  kopt::Action action =
      k > 0 ? action_from_choices(row.choices, k, nodes, cuts) : kopt::start_at_position(0, nodes, cuts);
  const LegalChoices legal = k == 0 ? legal_start(nodes, row.previous_anchor) : legal_continuation(action, fixed_k);
  const env::TwoOptMask mask = masking_at(k, row.features, nodes, action);
  for (int p = lanes.first(); p < nodes; p += lanes.stride())
    weights[p] = !legal.allows(p) || !mask.allows(p) ? 0.0f : expf(bound * tanhf(row.scores[p]));
  lanes.sync();
  const kopt::Drawn drawn =
      kopt::draw_index(lanes, nodes, row.uniform_number, [&](int position) { return weights[position]; });
  if (lanes.first() != 0) return;
  if (action.closed) {
    row.choices[k] = action.anchor;
    *row.move_input = action.anchor;
    *row.edge_input = edge_input_position(action);
    return;
  }
  const int chosen = drawn.index;
  row.choices[k] = chosen;
  *row.log_prob += logf(weights[chosen] / static_cast<float>(drawn.total));
  if (k == 0)
    action = kopt::start_at_position(chosen, nodes, cuts);
  else
    kopt::choose_position(action, chosen);
  *row.move_input = chosen;
  *row.edge_input = edge_input_position(action);
}

}  // namespace neuopt::train
