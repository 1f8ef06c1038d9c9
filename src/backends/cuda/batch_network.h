// The policy network on a batch of searches of one size, in one of two precisions:
//   fp16  products in half precision with sums in single (tensor cores), everything between them on chip
//   fp32  single precision throughout, any width and any size
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/prepared_model.h"
#include "policy/model.h"

namespace neuopt::backends::cuda {

/// What the network reads, for B searches; rows in tour order.
struct NetworkTask {
  int copies;                      // B, up to the capacity of the network
  const float* features;           // (B, N, features)
  const float* exploration;        // (B, 9); null without ES features
  const std::int32_t* move_input;  // (B) position that stream mu reads at the next decoding step
  const std::int32_t* edge_input;  // (B) position that stream lambda reads
};

class BatchNetwork {
 public:
  virtual ~BatchNetwork() = default;

  // All of them only queue work on the stream of the network.

  /// 1. Features to embeddings and what decoding needs of them.
  virtual void encode(const NetworkTask& task) = 0;
  /// 2. Decoding step k (from 0): the streams read their inputs and make the next queries.
  virtual void advance_streams(const NetworkTask& task, int k) = 0;
  /// 3. The streams' scores of all nodes, before C * tanh: (B, N) in tour order. Valid until the next call, and may be
  /// changed until then.
  virtual float* score_nodes(const NetworkTask& task) = 0;

  /// Embeddings (B, N, d) in tour order of the last `encode`, on the host.
  virtual std::vector<float> embeddings(int copies) const = 0;
};

/// A network whose weights change and never leave the device, as in training.
class ChangingNetwork : public BatchNetwork {
 public:
  /// Takes the flat array of a model's weights and its positional scores (heads, N, N), both on the device. Only
  /// queues.
  virtual void load(const float* weights, const float* position_scores) = 0;
};

/// Whether fp16 serves this network and size on the current device; if not, `reason` says why.
bool half_supported(const policy::Architecture& architecture, int nodes, std::string& reason);

/// Device memory that each copy of a batch needs for the network, and the batch besides.
struct NetworkMemory {
  std::size_t per_copy, fixed;
};
NetworkMemory half_memory(const policy::Architecture& architecture, int nodes);
NetworkMemory single_memory(const policy::Architecture& architecture, int nodes);

/// Room for `capacity` searches of `nodes` nodes. The stream must outlive the network.
std::unique_ptr<BatchNetwork> make_half_network(std::shared_ptr<PreparedModel> model, int nodes, int capacity,
                                                cudaStream_t stream);
/// In fp16; its weights are zero until they are loaded.
std::unique_ptr<ChangingNetwork> make_changing_network(const policy::Architecture& architecture, int nodes,
                                                       int capacity, cudaStream_t stream);
std::unique_ptr<BatchNetwork> make_single_network(std::shared_ptr<PreparedModel> model, int nodes, int capacity,
                                                  cudaStream_t stream);

}  // namespace neuopt::backends::cuda
