// A batch of searches of one size on one device: instances, tours, loads, costs, history. Everything stays there; on a
// GPU each call is a few kernel launches and nothing synchronises.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "env/gire.h"
#include "env/instance_view.h"
#include "env/search.h"
#include "problem/generate_draw.h"
#include "problem/problem_kind.h"

namespace neuopt::train {

struct BatchView;
struct TrainConfig;

struct EnvironmentOptions {
  ProblemKind kind = ProblemKind::tsp;
  int customers = 20;                                             // TSP: nodes
  int depots = 0;                                                 // D (problems with depots)
  float capacity = 0;                                             // of generated instances (problems with demands)
  float epsilon = 0;                                              // bound of epsilon-feasibility (constrained problems)
  float shaped = 0;                                               // share of generated instances that are shaped
  TickRule ticks = {.per_cost = 1 / kDrawnTick, .whole = false};  // of their times (VRPTW)
  float tick_length = static_cast<float>(kDrawnTick);             // as the network sees it (VRPTW)
  int stall_limit = 0;                                            // T_D2A; 0: no augmentation
  int max_moves = 4;                                              // K
  int batch = 512;                                                // B
  env::GireParameters gire;
  torch::Device device = torch::kCPU;
  int threads = 0;  // on a CPU; 0: all

  int nodes() const { return customers + depots; }  // N
  int features() const { return traits(kind).features; }
  /// The same for another number of searches.
  EnvironmentOptions with_batch(int searches) const {
    EnvironmentOptions options = *this;
    options.batch = searches;
    return options;
  }
};

/// The environment of a run's training batches.
EnvironmentOptions environment_options(const TrainConfig& config, torch::Device device);

/// What the networks see of the current states. Rows in tour order.
struct Observation {
  torch::Tensor features;         // (B, N, features) float
  torch::Tensor exploration;      // (B, 9) float: ES features
  torch::Tensor previous_anchor;  // (B) int32: position, -1 for none
  torch::Tensor costs;            // (B, 3) float: current, best, best epsilon-feasible
};

class BatchEnvironment {
 public:
  explicit BatchEnvironment(const EnvironmentOptions& options);

  const EnvironmentOptions& options() const { return options_; }

  /// Fresh instances number first_instance .. + B of this seed, and the standard starts. Each instance is, decided by
  /// words of its own, the one that generate_uniform or generate_shaped has under its number (a shaped CVRP with the
  /// usual number of depots: its capacity depends on them).
  void generate(std::uint64_t seed, std::uint64_t first_instance);
  /// Given instances: x, y (B, N), node (B, N, ..) as floats, the problem's Node (for the CVRP demand over capacity;
  /// undefined for the TSP), and starts (B, N) int32 orders.
  void assign(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& node, const torch::Tensor& starts);

  /// Copies instance and search b of `base`, of B in all, into the rows b * G to b * G + G - 1; G is the ratio of the
  /// two batches.
  void branch_from(const BatchEnvironment& base);
  /// The reverse for the searches: each goes on from where the first of its G branches stands. The instances must be
  /// those of the branches already.
  void take_first_branches(const BatchEnvironment& branches);
  /// Replaces `count` searches and their instances by those of another batch.
  void take_searches(const BatchEnvironment& other, int first, int count);
  /// Takes instances and searches of another batch: row b is its row index[b].
  void take(const BatchEnvironment& other, const torch::Tensor& index);

  /// Begins again from the best solutions found, with history and all costs reset.
  void restart_from_best();

  /// Writes the current states into tensors of the right shapes (slices of a rollout buffer, say).
  void observe(Observation& into) const;
  Observation empty_observation(int batch) const;

  /// Applies the choices (B, K) int32 and writes the rewards (B, 3). mean_improvement (a 0-dim float tensor on the
  /// device) is E[r].
  void step(const torch::Tensor& choices, const torch::Tensor& mean_improvement, torch::Tensor rewards);

  /// (B, N) int32: the current tours.
  const torch::Tensor& orders() const { return order_; }

  /// (B, N, 2) float: where the nodes are.
  torch::Tensor places() const { return torch::stack({x_, y_}, 2); }

  /// The searches, for code that works on them where they are.
  env::SearchBatch searches() const;

  /// (B) best feasible costs.
  torch::Tensor best_costs() const;

 private:
  void start();
  bool on_gpu() const;
  std::vector<env::InstanceView> instance_views() const;
  BatchView view() const;
  std::vector<torch::Tensor> instance_tensors() const { return {x_, y_, node_}; }
  /// What a search carries from step to step.
  std::vector<torch::Tensor> search_tensors() const { return {order_, position_, best_order_, routes_, states_}; }

  EnvironmentOptions options_;
  torch::Tensor x_, y_;                                    // (B, N) float
  torch::Tensor node_;                                     // (B, N, ..) float: the bytes of the problem's Node
  torch::Tensor order_, position_, scratch_, best_order_;  // (B, N) int32
  torch::Tensor routes_;                                   // (B, N, ..) uint8: the problem's Route
  torch::Tensor states_;                                   // (B, ..) uint8: env::SearchState
  torch::Tensor instances_;                                // (B * ..) uint8: env::InstanceView, into the above
};

}  // namespace neuopt::train
