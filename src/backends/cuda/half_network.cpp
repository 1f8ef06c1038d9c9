// The network in half precision: owns the packed weights and the buffers between the kernels.
#include <fmt/format.h>

#include "backends/cuda/batch_network.h"
#include "backends/cuda/device_array.h"
#include "backends/cuda/device_info.h"
#include "backends/cuda/network.h"
#include "backends/cuda/scores.h"
#include "core/half.h"

namespace neuopt::backends::cuda {
namespace {

class HalfNetwork final : public ChangingNetwork {
 public:
  /// With the weights of a model, which other networks share.
  HalfNetwork(std::shared_ptr<PreparedModel> model, int nodes, int capacity, cudaStream_t stream)
      : HalfNetwork(nodes, capacity, stream) {
    shared_model_ = std::move(model);
    shared_position_ = shared_model_->half_positions(nodes);
    describe(shared_model_->half().at, shared_model_->architecture(), shared_model_->half().bytes, *shared_position_);
  }

  /// With weights of its own, which are loaded later.
  HalfNetwork(const policy::Architecture& architecture, int nodes, int capacity, cudaStream_t stream)
      : HalfNetwork(nodes, capacity, stream) {
    const PackingPlan plan = plan_packing(architecture);
    numbers_ = DeviceArray<PackedNumber>(plan.numbers, stream);
    weights_ = DeviceArray<std::uint8_t>(std::vector<std::uint8_t>(plan.size, 0), stream);
    position_ = DeviceArray<std::uint16_t>(std::vector<std::uint16_t>(position_bytes(nodes) / 2, 0), stream);
    describe(plan.at, architecture, weights_, position_);
  }

  void load(const float* weights, const float* position_scores) override {
    pack_on_device(numbers_.data(), static_cast<int>(numbers_.size()), weights, weights_.data(), stream_);
    pack_positions_on_device(nodes_, position_scores, reinterpret_cast<__half*>(position_.data()), stream_);
  }

  void encode(const NetworkTask& task) override { cuda::encode(model_, buffers(task), multiprocessors_, stream_); }

  void advance_streams(const NetworkTask& task, int k) override {
    cuda::advance_streams(model_, buffers(task), k, stream_);
  }

  float* score_nodes(const NetworkTask& task) override {
    cuda::score_nodes(model_, buffers(task), scores_.data(), stream_);
    return scores_.data();
  }

  std::vector<float> embeddings(int copies) const override {
    const auto count = static_cast<std::size_t>(copies) * static_cast<std::size_t>(nodes_) * kDim;
    std::vector<float> values;
    values.reserve(count);
    for (const std::uint16_t half : embeddings_.download(count, stream_)) values.push_back(from_half(half));
    return values;
  }

 private:
  HalfNetwork(int nodes, int capacity, cudaStream_t stream)
      : stream_(stream), multiprocessors_(device_info().multiprocessors), nodes_(nodes) {
    const auto rows = static_cast<std::size_t>(capacity) * static_cast<std::size_t>(nodes);
    const auto copies = static_cast<std::size_t>(capacity);
    embeddings_ = DeviceArray<std::uint16_t>(rows * kDim);
    keys_ = DeviceArray<std::uint16_t>(rows * kKeyWidth);
    mean_ = DeviceArray<float>(copies * kDim);
    states_ = DeviceArray<float>(copies * 2 * kDim);
    queries_ = DeviceArray<float>(copies * kKeyWidth);
    scores_ = DeviceArray<float>(rows);
  }

  void describe(const PackedOffsets& at, const policy::Architecture& architecture,
                const DeviceArray<std::uint8_t>& weights, const DeviceArray<std::uint16_t>& position) {
    model_ = {.at = at,
              .bytes = weights.data(),
              .layers = architecture.layers,
              .features = architecture.features(),
              .exploration_features = architecture.exploration_features,
              .position_scores = reinterpret_cast<const uint4*>(position.data())};
  }

  NetworkBuffers buffers(const NetworkTask& task) const {
    return {.copies = task.copies,
            .nodes = nodes_,
            .features = task.features,
            .exploration = task.exploration,
            .embeddings = reinterpret_cast<__half*>(embeddings_.data()),
            .keys = reinterpret_cast<__half*>(keys_.data()),
            .mean = mean_.data(),
            .states = states_.data(),
            .queries = queries_.data(),
            .move_input = task.move_input,
            .edge_input = task.edge_input};
  }

  cudaStream_t stream_;
  int multiprocessors_, nodes_;
  std::shared_ptr<PreparedModel> shared_model_;
  std::shared_ptr<const DeviceArray<std::uint16_t>> shared_position_;
  // Of a network that changes.
  DeviceArray<PackedNumber> numbers_;  // how to pack weights
  DeviceArray<std::uint8_t> weights_;
  DeviceArray<std::uint16_t> position_;
  // Buffers.
  DeviceArray<std::uint16_t> embeddings_, keys_;
  DeviceArray<float> mean_, states_, queries_, scores_;
  DeviceModel model_{};
};

}  // namespace

bool half_supported(const policy::Architecture& architecture, int nodes, std::string& reason) {
  if (!packed_supported(architecture))
    reason = fmt::format("the network is not the paper's (d = {}, {} heads, both streams, {} features at most)", kDim,
                         kHeads, kMaxFeatures);
  else if (nodes < kMinNodes)
    reason = fmt::format("fewer than {} nodes", kMinNodes);
  else if (nodes > kMaxNodes)
    reason = fmt::format("more than {} nodes", kMaxNodes);
  else if (encoder_shared_bytes(nodes) > device_info().shared_bytes)
    reason = fmt::format("{} nodes need more shared memory than this device has", nodes);
  else
    return true;
  return false;
}

NetworkMemory half_memory(const policy::Architecture&, int nodes) {
  const auto rows = static_cast<std::size_t>(nodes);
  return {rows * (2 * kDim + 2 * kKeyWidth + 4) + 4 * (kDim + 2 * kDim + kKeyWidth),
          std::size_t{4} * 1024 * 1024};  // weights and positional scores
}

std::unique_ptr<BatchNetwork> make_half_network(std::shared_ptr<PreparedModel> model, int nodes, int capacity,
                                                cudaStream_t stream) {
  return std::make_unique<HalfNetwork>(std::move(model), nodes, capacity, stream);
}

std::unique_ptr<ChangingNetwork> make_changing_network(const policy::Architecture& architecture, int nodes,
                                                       int capacity, cudaStream_t stream) {
  return std::make_unique<HalfNetwork>(architecture, nodes, capacity, stream);
}

}  // namespace neuopt::backends::cuda
