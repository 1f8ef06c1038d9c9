// The searches of one size on the device: instances, tours, loads, costs, history, augmentations, random keys. The same
// host/device code as on the CPU moves them on.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "env/augment.h"
#include "env/gire.h"
#include "env/step.h"

namespace neuopt::backends::cuda {

/// What belongs to one instance; copies of it share it.
struct InstanceOnDevice {
  const float* x;             // (N)
  const float* y;             // (N)
  const float* demand;        // (N); null for the TSP
  const float* matrix;        // (places, places) or null
  const std::int32_t* place;  // (N) or null
  int places;
  float epsilon, tolerance;
};

/// State of one copy besides its arrays.
struct CopyOnDevice {
  env::SearchStatus status;
  env::Augmentation augmentation;
  std::uint32_t instance_id, copy_id;  // keys of the random numbers
  std::uint32_t augmentations;         // drawn so far
  std::int32_t instance;               // index into `instances`
  std::int32_t stalled;                // steps since the last new best or augmentation
  std::int32_t feasible_steps;
};

struct SearchBatch {
  int copies, nodes, depots, max_moves;  // B, N, D, K
  int features;                          // 2 or 8
  int stall_limit;
  std::uint64_t seed;
  env::GireParameters gire;
  bool fixed_k, random_start_move;  // ablations
  const InstanceOnDevice* instances;
  CopyOnDevice* copy;        // (B)
  std::int32_t* order;       // (B, N)
  std::int32_t* position;    // (B, N)
  std::int32_t* best_order;  // (B, N)
  std::int32_t* scratch;     // (B, N)
  float* load_up_to;         // (B, N); null for the TSP
  float* load_after;         // (B, N); null for the TSP
  float* route_load;         // (B, D); null for the TSP
  // What the network sees, written after each step.
  float* network_features;  // (B, N, features), rows in tour order
  float* exploration;       // (B, 9); null for the TSP
  // Decoding.
  std::int32_t* choices;     // (B, K) positions
  std::int32_t* move_input;  // (B) position that stream mu reads next
  std::int32_t* edge_input;  // (B) position that stream lambda reads next
};

/// Computes positions, loads, status, the first augmentation (augment_start) and the features from `order`.
void start_searches(const SearchBatch& batch, bool augment_start, cudaStream_t stream);

/// Draws choice k of every copy from its scores (B, N) (before 6 * tanh; rows in tour order): inverse of the
/// distribution function over nodes in index order, as on the CPU. With k == K - 1 the action is complete and is
/// applied: tour, loads, costs, best tour, stall, augmentation, features. `logits` (B, K, N), when not null, takes the
/// logits (-1e30 where a choice is not legal); `recorded` (B, K) positions, when not null, are chosen instead of
/// drawing, and nothing is applied.
void sample_and_step(const SearchBatch& batch, int k, const float* scores, float* logits, const std::int32_t* recorded,
                     cudaStream_t stream);

}  // namespace neuopt::backends::cuda
