// Steps of searches with the policy, recorded row by row for updates.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "train/batch_environment.h"
#include "train/sampler.h"

namespace neuopt::train {

/// States with the actions drawn in them: what an update reads.
struct Rows {
  Observation states;      // of R states
  torch::Tensor choices;   // (R, K) int32
  torch::Tensor log_prob;  // (R) when they were drawn
};

/// n steps of B searches; the n * B rows are step by step.
struct Chunk : Rows {
  Observation last;       // of the B states after the last step; only where a critic reads it
  torch::Tensor rewards;  // (n, B, 3)
  torch::Tensor orders;   // (n + 1, B, N) int32: tours before and after each step; only where it is defined
};

/// `count` of the states, from `first` on; no copy.
Observation slice(const Observation& all, std::int64_t first, std::int64_t count);

/// Copies the rows of `from` that an index (R) names into all of `to`, or the states.
void take_rows(const torch::Tensor& from, const torch::Tensor& index, torch::Tensor& to);
void take_states(const Observation& from, const torch::Tensor& index, Observation& to);

/// The B states before a step.
Observation states_at(const Chunk& chunk, int step);

Rows empty_rows(const BatchEnvironment& environment, std::int64_t rows);
Chunk empty_chunk(const BatchEnvironment& environment, int steps);

/// Rolls the searches out for as many steps as the chunk has and records all but the last states. Needs the sampler's
/// weights; adds to the key's count of steps. mean_improvement is E[r], see BatchEnvironment::step.
void roll_out(BatchEnvironment& environment, Sampler& sampler, const SampleKey& key,
              const torch::Tensor& mean_improvement, Chunk& into);

}  // namespace neuopt::train
