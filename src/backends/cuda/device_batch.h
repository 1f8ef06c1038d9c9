// The searches of one size on the device with what decoding and the network need. The code of env/search.h moves them
// on, as on the CPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "env/search.h"
#include "local/neighbours.h"
#include "policy/architecture.h"

namespace neuopt::backends::cuda {

struct DeviceBatch {
  ProblemKind kind;
  env::SearchBatch searches;
  int max_moves;                  // K
  float start_bound, bound;       // of the logits of the S-move and of later choices; 0: all choices are alike
  bool fixed_k, masking;          // ablations
  const float* prospect_weights;  // the table of env/prospects.h; null in a network without
  int foresight;                  // edges that prospects look at
  // What the network sees, written after each step.
  float* network_features;  // (B, N, features), rows in tour order
  float* exploration;       // (B, 9); null for a problem without constraints
  // The polish; null without.
  const local::NeighbourView* neighbours;  // (B)
  std::int32_t* polished_order;            // (B, N)
  double* polished_cost;                   // (B); infinite before there is one
  // Decoding.
  std::int32_t* choices;     // (B, K) positions
  std::int32_t* move_input;  // (B) position that stream mu reads next
  std::int32_t* edge_input;  // (B) position that stream lambda reads next

  /// Takes from an architecture how it is run, with so many edges foreseen at most.
  void run_as(const policy::Architecture& architecture, int most_foreseen = policy::kMostForesight) {
    kind = architecture.problem;
    max_moves = architecture.max_moves, foresight = architecture.edges_foreseen(most_foreseen);
    start_bound = architecture.bound_at(0), bound = architecture.bound_at(1);
    fixed_k = architecture.fixed_k, masking = architecture.masking;
  }
};

/// Starts the searches of the given rows, or of all of them when `rows` is null, from their tours in `order`, and
/// writes what the network sees.
void start_searches(const DeviceBatch& batch, const std::int32_t* rows, int count, cudaStream_t stream);

/// Draws choice k of every copy from the streams' scores (B, N) (before C * tanh; rows in tour order), to which
/// prospects are added in place: inverse of the distribution function over nodes in index order, as on the CPU. With k
/// == K - 1 the action is complete and the step is taken. `logits` (B, K, N), when not null, takes the logits (-1e30
/// where a choice is not legal); `recorded` (B, K) positions, when not null, are chosen instead of drawing, and no step
/// is taken.
void sample_and_step(const DeviceBatch& batch, int k, float* scores, float* logits, const std::int32_t* recorded,
                     cudaStream_t stream);

/// Every copy goes on from its best tour, visited or polished.
void return_to_best(const DeviceBatch& batch, cudaStream_t stream);

}  // namespace neuopt::backends::cuda
