// All searches of one size: their state, the network that serves them, and the step as a graph that is replayed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/batch_network.h"
#include "backends/cuda/search_arrays.h"

namespace neuopt::backends::cuda {

/// A recorded sequence of kernel launches.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph(Graph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  Graph& operator=(Graph&&) = delete;
  ~Graph();

  bool empty() const { return executable_ == nullptr; }
  /// Records what `work` queues on the stream; nothing runs yet.
  void record(cudaStream_t stream, const std::function<void()>& work);
  void launch(cudaStream_t stream) const;

 private:
  cudaGraphExec_t executable_ = nullptr;
};

/// Told after each launch of a step what it was; for measurements.
using LaunchProbe = std::function<void(const char* kernel)>;

class SizeBatch {
 public:
  /// `share`: the part of the free device memory that the network may take. What does not fit at once is worked on in
  /// groups, one after the other.
  SizeBatch(const std::shared_ptr<PreparedModel>& model, std::span<const policy::Copy* const> copies,
            const policy::SessionOptions& options, double share, cudaStream_t stream);

  /// Queues `steps` steps of all copies.
  void advance(int steps);
  /// Queues one step of the first group without the graph, and tells the probe of each launch.
  void step_with_probe(const LaunchProbe& probe);

  /// Starts rows anew, row rows[i] as copies[i].
  void restart(std::span<const int> rows, std::span<const policy::Copy* const> copies);

  const SearchArrays& searches() const { return searches_; }
  int group_size() const { return group_size_; }
  /// "fp16", or "fp32"; with a reason when fp16 was not possible.
  const std::string& precision() const { return precision_; }
  const std::string& fallback_reason() const { return fallback_reason_; }

  // Downloaded on demand and kept until the next step.
  const env::SearchState& state(int row) const;
  std::vector<int> order(int row) const;
  /// The best of what was visited or polished.
  double best_cost(int row) const;
  std::vector<int> best_order(int row) const;

 private:
  struct Group {
    int first, count;
    Graph step;
    bool started = false;  // a first step has run directly
  };

  void forget_downloads();
  /// What is due after that many steps: the polish, the return to the best tours.
  void queue_care(const Group& group, long step) const;
  bool polished_is_best(int row) const;
  void queue_step(const Group& group, const LaunchProbe& probe);

  cudaStream_t stream_;
  int max_moves_;
  SearchArrays searches_;
  std::unique_ptr<BatchNetwork> network_;
  const float* prospect_weights_ = nullptr;  // on the device, of the model that the network holds
  std::string precision_, fallback_reason_;
  int group_size_ = 0;
  int polish_interval_, restart_interval_;  // 0: never
  long step_ = 0;                           // taken so far
  std::vector<Group> groups_;
  mutable std::optional<std::vector<env::SearchState>> states_;
  mutable std::optional<std::vector<std::int32_t>> orders_, best_orders_, polished_orders_;
  mutable std::optional<std::vector<double>> polished_costs_;
};

/// Which network serves a size: the precision asked for ("": fp16 where possible) or, when that is not possible, fp32.
/// Throws InputError for other names.
struct PrecisionChoice {
  bool half;
  std::string reason;  // why not fp16 although it was wanted
};
PrecisionChoice choose_precision(const std::string& wanted, const policy::Architecture& architecture, int nodes);

/// A network with room for as many of `copies` searches as fit into `share` of the free memory, at least one. The
/// capacity comes back in `capacity`. Throws ResourceError when not even one fits.
std::unique_ptr<BatchNetwork> make_fitting_network(const std::shared_ptr<PreparedModel>& model, bool half, int nodes,
                                                   int copies, double share, cudaStream_t stream, int& capacity);

}  // namespace neuopt::backends::cuda
