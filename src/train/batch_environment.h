// A batch of searches of one size on one device: instances, tours, loads, costs, history. Everything stays there; on a
// GPU each call is a few kernel launches and nothing synchronises.
#pragma once

#include <torch/torch.h>

#include <cstdint>

#include "env/features.h"
#include "env/gire.h"

namespace neuopt::train {

struct BatchView;
struct TrainConfig;

struct EnvironmentOptions {
  int customers = 20;  // TSP: nodes
  int depots = 0;      // D (CVRP)
  float capacity = 0;  // of generated instances (CVRP)
  float epsilon = 0;   // bound of epsilon-feasibility (CVRP)
  float shaped = 0;    // share of generated instances that are shaped
  int max_moves = 4;   // K
  int batch = 512;     // B
  env::GireParameters gire;
  torch::Device device = torch::kCPU;
  int threads = 0;  // on a CPU; 0: all

  int nodes() const { return customers + depots; }  // N
  int features() const { return depots == 0 ? env::kTspFeatures : env::kCvrpFeatures; }
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
  /// Given instances: x, y (B, N), demand (B, N) over capacity (undefined for the TSP), and starts (B, N) int32 orders.
  void assign(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& demand, const torch::Tensor& starts);

  /// Begins again from the best solutions found, with history and all costs reset.
  void restart_from_best();

  /// Writes the current states into tensors of the right shapes (slices of a rollout buffer, say).
  void observe(Observation& into) const;
  Observation empty_observation(int batch) const;

  /// Applies the choices (B, K) int32 and writes the rewards (B, 3). mean_improvement (a 0-dim float tensor on the
  /// device) is E[r].
  void step(const torch::Tensor& choices, const torch::Tensor& mean_improvement, torch::Tensor rewards);

  /// (B) best feasible costs.
  torch::Tensor best_costs() const;

 private:
  void start();
  bool on_gpu() const;
  BatchView view() const;

  EnvironmentOptions options_;
  torch::Tensor x_, y_, demand_;              // (B, N) float
  torch::Tensor order_, position_, scratch_;  // (B, N) int32
  torch::Tensor best_order_;                  // (B, N) int32
  torch::Tensor load_up_to_, load_after_;     // (B, N) float
  torch::Tensor route_load_;                  // (B, D) float
  torch::Tensor status_;                      // (B, sizeof(SearchStatus)) uint8
};

}  // namespace neuopt::train
