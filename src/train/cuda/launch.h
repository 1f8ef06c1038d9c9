// Launchers of the trainer's kernels. Each takes a stream (a cudaStream_t, passed as void* so that callers need no CUDA
// headers) and throws ResourceError when the launch fails.
#pragma once

#include <cstdint>

#include "env/prospects.h"
#include "train/decode_rows.h"
#include "train/missed_rows.h"

namespace neuopt::local {
struct PolishBatch;
}

namespace neuopt::train::cuda {

void generate(const BatchView& batch, std::uint64_t seed, std::uint64_t first_instance, void* stream);
void start(const BatchView& batch, void* stream);
void restart_from_best(const BatchView& batch, void* stream);
void observe(const BatchView& batch, const ObservationView& into, void* stream);
/// choices: (B, K); mean_improvement: one float on the device; rewards: (B, 3).
void step(const BatchView& batch, const std::int32_t* choices, const float* mean_improvement, float* rewards,
          void* stream);
/// best: (B) float.
void best_costs(const BatchView& batch, float* best, void* stream);

/// Bytes that polish() works in.
std::size_t polish_bytes(ProblemKind kind, int copies, int nodes);
/// As local::cuda::launch_polish.
void polish(ProblemKind kind, const local::PolishBatch& batch, void* workspace, void* stream);

/// The (N, features) of a row that masking reads, which only the CVRP has, or null where nothing is masked.
NEUOPT_HD const float* features_of_row(const float* features, int row, int nodes) {
  return features == nullptr ? nullptr : features + static_cast<std::int64_t>(row) * nodes * env::Cvrp::traits.features;
}

struct PlanArguments {
  int batch, max_moves, nodes;
  bool fixed_k;
  const std::int32_t* choices;          // (B, K)
  const std::int32_t* previous_anchor;  // (B)
  const float* features;                // (B, N, features) in tour order, for masking; null: none
  bool* legal;                          // (B, K, N)
  bool* active;                         // (B, K)
  std::int64_t* move_input;             // (B, K - 1)
  std::int64_t* edge_input;             // (B, K - 1)
};
void plan_decoding(const PlanArguments& arguments, void* stream);

void missed_exchanges(const MissedArguments& arguments, void* stream);

/// States and choices of which prospects are computed (env/prospects.h).
struct ProspectArguments {
  int batch, max_moves, nodes, width;  // width: features of a node
  int foresight;                       // edges that are looked at
  bool demands;                        // the problem has them
  const float* features;               // (B, N, width) in tour order
  const float* costs;                  // (B, 3): current, best
  const std::int32_t* choices;         // (B, K)
};

NEUOPT_HD env::ProspectState prospect_state_of(const ProspectArguments& a, int row) {
  const float* costs = a.costs + static_cast<std::int64_t>(row) * 3;
  return env::prospect_state(a.nodes, a.foresight, a.features + static_cast<std::int64_t>(row) * a.nodes * a.width,
                             a.width, a.demands, env::above_best(costs[0], costs[1]));
}
NEUOPT_HD const std::int32_t* choices_of(const ProspectArguments& a, int row) {
  return a.choices + static_cast<std::int64_t>(row) * a.max_moves;
}
/// A row's part of the (B, K, N, features) of all choices.
NEUOPT_HD float* features_of(const ProspectArguments& a, int row, float* all) {
  return all + static_cast<std::int64_t>(row) * a.max_moves * a.nodes * env::kProspectFeatures;
}

/// As env::add_prospects for scores (B, N), and env::write_prospects for (B, K, N, features).
void add_prospects(const ProspectArguments& arguments, int k, const float* weights, float* scores, void* stream);
void write_prospects(const ProspectArguments& arguments, float* out, void* stream);

struct SampleArguments {
  int batch, max_moves, nodes, k;
  bool fixed_k;
  float bound;  // of the logits
  std::uint64_t seed;
  std::uint32_t stream;
  const std::int64_t* counters;         // (2): first instance, search step
  const float* scores;                  // (B, N)
  const float* features;                // as above
  const std::int32_t* previous_anchor;  // (B)
  std::int32_t* choices;                // (B, K)
  float* log_prob;                      // (B)
  std::int32_t* move_input;             // (B)
  std::int32_t* edge_input;             // (B)
};
void sample_choice(const SampleArguments& arguments, void* stream);

/// One row of them, with its random number.
NEUOPT_HD SampleRow sample_row_of(const SampleArguments& a, int row) {
  const Philox4 words =
      Random{a.seed}.words(Draw::decode, static_cast<std::uint32_t>(a.counters[0] + row), a.stream,
                           static_cast<std::uint32_t>(a.counters[1]), static_cast<std::uint32_t>(a.k));
  return {a.scores + static_cast<std::int64_t>(row) * a.nodes,
          features_of_row(a.features, row, a.nodes),
          a.choices + static_cast<std::int64_t>(row) * a.max_moves,
          a.log_prob + row,
          a.move_input + row,
          a.edge_input + row,
          a.previous_anchor[row],
          uniform_float(words.word[0])};
}

}  // namespace neuopt::train::cuda
